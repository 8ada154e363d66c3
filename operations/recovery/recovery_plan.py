"""The steps that clear the leftovers of an interrupted run: a pure function of the leftovers."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

from operations.errors import CommandError
from operations.recovery.found_in_cluster import NO_FIELDS, Leftovers
from operations.recovery.release_steps import (
    bring_operator_back,
    release_steps_before_destroy,
    release_steps_before_up,
)
from operations.recovery.stack_state import CREATE_MANAGER, ClusterObject, is_empty
from operations.recovery.steps import Step

_GONE_TIMEOUT = "--timeout=600s"
UPSERT = "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"
# A person who wants one of these gone deletes it by hand: each holds data, or takes along what does.
_STATEFUL = frozenset(
    {"PersistentVolumeClaim", "PersistentVolume", "Namespace", "StatefulSet", "CustomResourceDefinition"}
)


# No command tells whether there is a lock and changes nothing; without one this does nothing either.
_UNLOCK = Step("remove the lock of the run that has ended", "pulumi", ("cancel", "--yes"))
_REFRESH = Step(
    "compare the state with the cluster, and drop the interrupted operations",
    "pulumi",
    ("refresh", "--yes", "--skip-preview", "--clear-pending-creates"),
    # Something that is not ready yet fails a refresh, after it has done what it was run for.
    forgiven=True,
)


@dataclass(frozen=True)
class Plan:
    """Steps in their order; none where nothing was interrupted."""

    found: tuple[str, ...] = ()
    """The leftovers in words."""
    steps: tuple[Step, ...] = ()
    left: tuple[str, ...] = ()
    """Objects that are not touched and may stay behind."""


def plan_up(leftovers: Leftovers, *, policy_pack: bool) -> Plan:
    """Recovery that ends with the stack up; CommandError where that takes a person."""
    found = tuple(_findings(leftovers))
    if not found:
        return Plan()
    _refuse_foreign(leftovers)
    steps = (
        _UNLOCK,
        *bring_operator_back(leftovers),
        *(_wait_until_gone(each) for each in leftovers.objects if each.is_terminating),
        *release_steps_before_up(leftovers),
        *(
            _release_fields(each)
            for each in leftovers.unrecorded
            if each.create_entry is not None and not each.is_terminating
        ),
        _REFRESH,
        _up(leftovers, policy_pack=policy_pack),
    )
    return Plan(found, steps)


def plan_destroy(leftovers: Leftovers) -> Plan:
    """Recovery that ends with the stack destroyed; CommandError where that takes a person."""
    if is_empty(leftovers.state):
        return Plan()
    # An interrupted create of a name that another stack has, or a person, made nothing.
    unknown = [
        each
        for each in leftovers.unrecorded
        if each.urn in leftovers.was_creating and each.other_owner is None
    ]
    ours = [each for each in unknown if each.may_be_ours and each.kind not in _STATEFUL]
    going = sorted(ours, key=lambda each: not each.is_graph)
    steps = (
        _UNLOCK,
        *bring_operator_back(leftovers),
        # The state does not know them, so `destroy` would leave them; a graph would outlive its operator,
        # and with it nobody would remove its finalizer.
        *(_delete(each) for each in going),
        *release_steps_before_destroy(leftovers, [each.id for each in going]),
        _REFRESH,
        Step("destroy what the state knows", "pulumi", ("destroy", "--yes")),
    )
    left = tuple(str(each) for each in unknown if each not in going)
    return Plan(tuple(_findings(leftovers)), steps, left)


def _findings(leftovers: Leftovers) -> Iterator[str]:
    for each in leftovers.state.pending_operations:
        yield f"interrupted while {each.type}: {each.resource.urn}"
    yield from (f"half replaced: {each.urn}" for each in leftovers.state.resources if each.is_going)
    release = leftovers.release
    if release and release.is_stuck:
        yield f"{release} is {release.status}"
    # A stack that holds nothing may have left these on purpose when it was destroyed.
    if not is_empty(leftovers.state):
        yield from _found_beside_the_state(leftovers)


def _found_beside_the_state(leftovers: Leftovers) -> Iterator[str]:
    if leftovers.graph_to_come and not leftovers.state.pending_operations:
        # A recovery that was killed on its way there leaves no other trace.
        yield f"the stack has no graph: no `up` has got as far as {leftovers.graph_to_come}"
    if leftovers.release_is_unrecorded:
        yield f"is installed, and the state does not know it: {leftovers.release}"
    for each in leftovers.unrecorded:
        if each.may_be_ours:
            yield f"exists, and the state does not know it: {each}"


def _refuse_foreign(leftovers: Leftovers) -> None:
    foreign = [each for each in leftovers.unrecorded if not each.may_be_ours]
    if not foreign:
        return
    theirs = [each for each in foreign if each.other_owner]
    if theirs:
        raise CommandError(
            "these exist under names of this stack and are another's, so that recovery leaves them. "
            "Nothing was changed:\n"
            + "\n".join(f"  {each}, of {each.other_owner}" for each in theirs)
            + "\n  try: other names in this stack's file (serving.namespace, serving.name), and "
            "`platform: {kind: existing}` for a platform that runs; then `pulumi up`"
        )
    listed = "\n".join(
        f"  {each}, written by {', '.join(each.managers) or 'somebody unknown'}" for each in foreign
    )
    raise CommandError(
        "these exist under names of this stack and were not made by Pulumi; recovery would take them over. "
        f"Nothing was changed:\n{listed}\n"
        "  try: other names in this stack's file (serving.namespace, serving.name); or have them removed "
        "where nobody needs them; then the same `dynamo-stack recover` again"
    )


def _wait_until_gone(item: ClusterObject) -> Step:
    # An object that is taken over while it is being deleted would be in the state and not in the cluster.
    says = f"wait until {item}, whose deletion has begun, is gone"
    return _kubectl(says, "wait", item, "--for=delete", _GONE_TIMEOUT, ends=item)


def _release_fields(item: ClusterObject) -> Step:
    """Take the fields of an object from the create that made it.

    The `up` that takes the object over applies as another field manager than the create did, and conflicts
    with it wherever an admission webhook has changed what was created. The provider moves these fields
    itself, but only in an update (pulumi-kubernetes provider/pkg/await/await.go, Creation and Update). The
    entry itself stays: it is the only proof that Pulumi has made the object, if the recovery runs again.
    """
    entry = f"/metadata/managedFields/{item.create_entry}"
    patch = [
        {"op": "test", "path": f"{entry}/manager", "value": CREATE_MANAGER},
        {"op": "replace", "path": f"{entry}/fieldsV1", "value": NO_FIELDS},
    ]
    says = f"let the interrupted create go of the fields of {item}, so that they can be taken over"
    return _kubectl(says, "patch", item, "--type=json", f"--patch={json.dumps(patch)}")


def _delete(item: ClusterObject) -> Step:
    # A graph goes last under foreground deletion. In the background it is gone before its parts, whose
    # finalizers nobody would remove once the next step has taken the operator away.
    cascade = f"--cascade={'foreground' if item.is_graph else 'background'}"
    says = f"delete {item}, which the interrupted run made and the state does not know"
    return _kubectl(says, "delete", item, cascade, "--ignore-not-found", _GONE_TIMEOUT, ends=item)


def _kubectl(
    says: str, verb: str, item: ClusterObject, *options: str, ends: ClusterObject | None = None
) -> Step:
    namespace = ("--namespace", item.namespace) if item.namespace else ()
    arguments = (verb, f"{item.resource}/{item.name}", *namespace, *options)
    return Step(says, "kubectl", arguments, ends=ends)


def _up(leftovers: Leftovers, *, policy_pack: bool) -> Step:
    policies = ("--policy-pack", "policy") if policy_pack else ()
    # The graphs' definitions outlive a release and ask its webhook to convert a graph, in a preview too: one
    # fails until the release is back.
    release = leftovers.release
    gone = release is not None and release.status != "deployed" and release.last_deployed is None
    preview = ("--skip-preview",) if gone else ()
    return Step(
        "bring the stack up, taking over what exists under its names",
        "pulumi",
        ("up", "--yes", *preview, *policies),
        variables=MappingProxyType({UPSERT: "true"}),
    )
