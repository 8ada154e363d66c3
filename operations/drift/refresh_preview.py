"""From the engine's answer to the changes: `pulumi refresh --preview-only`, which changes nothing."""

from collections.abc import Iterable, Iterator, Mapping

from components.object_owner import is_pulumi
from failures.explanation import Subject
from operations.drift.fields import differing, outcome_of, owners_of
from operations.drift.report import Change, Outcome
from operations.engine_preview.events import EngineStep
from resource_graph import Resource, ResourceGraph, value_at
from resource_graph.engine_state import EngineRecord
from resource_graph.urns import KUBERNETES, RELEASE_TYPE, own_type
from resource_graph.values import Path, has_unknown
from stacks.plan.platform.platform_plan import RELEASE_NAME

_CLAIM = "PersistentVolumeClaim"
# What becomes of an object that is gone, where `up --refresh` does not simply create it.
_AGAIN = {f"{KUBERNETES}core/v1:{_CLAIM}": Outcome.REFILLED, RELEASE_TYPE: Outcome.FIRST}


def changes_seen(
    steps: Iterable[EngineStep], failed: frozenset[str], program: ResourceGraph
) -> tuple[Change, ...]:
    """Return what differs from the state; the engine's own order changes from run to run.

    Args:
        steps: of a refresh that changes nothing.
        failed: URNs whose last create or update failed.
        program: what the program wants now. An `up` that was interrupted has changed objects whose state is
            still the old one.

    """
    found = dict.fromkeys(change for step in steps for change in _changes(step, failed, program))
    return tuple(sorted(found, key=lambda each: (each.namespace or "", each.object_name, each.field or "")))


def deployed_release(steps: Iterable[EngineStep]) -> tuple[str, str] | None:
    """Return namespace and name of the platform's Helm release, None where there is none, or none any more.

    A stack with a cluster of its own has others beside it, of which `recover` knows nothing.
    """
    for step in steps:
        is_release = step.operation != "delete" and own_type(step.urn) == RELEASE_TYPE
        if is_release and step.after and step.after.inputs["name"] == RELEASE_NAME:
            return step.after.inputs["namespace"], RELEASE_NAME
    return None


def _changes(step: EngineStep, failed: frozenset[str], program: ResourceGraph) -> Iterator[Change]:
    before, after = step.before, step.after
    if before is None or not before.resource.type.startswith(KUBERNETES):
        return
    item = _identity(before)
    if step.operation == "delete":
        outcome = _AGAIN.get(before.resource.type, Outcome.RECREATED)
        expected = "exists, with its data" if item.kind == _CLAIM else "exists"
        yield Change.of(item, (expected, "is gone"), outcome)
    elif step.operation == "update" and after is not None:
        resource = program.find(step.urn)
        yield from _changed_fields(before, after, step.differences, resource, has_failed=step.urn in failed)


def _changed_fields(
    before: EngineRecord,
    after: EngineRecord,
    differences: Mapping[Path, str],
    program: Resource | None,
    *,
    has_failed: bool,
) -> Iterator[Change]:
    old, new, live = before.inputs, after.inputs, after.outputs
    item = _identity(before)
    for place, change in differences.items():
        replaces = change.endswith("-replace")
        values = value_at(old, place), value_at(new, place)
        # What the engine shows of a secret is the same whatever it is.
        for path, in_state, actual in [*differing(*values, place)] or [(place, *values)]:
            owners = [] if before.resource.type == RELEASE_TYPE else owners_of(live, path)
            expected = _wanted(program, path, in_state)
            if expected == actual and item.kind != "Secret":
                outcome = Outcome.RECORDED
            else:
                outcome = Outcome.REPLACED if replaces else outcome_of(live, owners)
            names = dict.fromkeys(str(each["manager"]) for each in owners)
            others = tuple(name for name in names if not is_pulumi(name))
            # The state takes what a failed update asked for (pulumi-kubernetes provider/pkg/provider); of an
            # update that the engine never heard of, the cluster has it and the state has not.
            by_failed_up = not others and (has_failed or bool(owners))
            yield Change.of(item, (expected, actual), outcome, path, others, by_failed_up=by_failed_up)


def _wanted(program: Resource | None, path: Path, in_state: object) -> object:
    """Return what the program writes there, and what the state has where only the update knows it."""
    if program is None or program.kind == "Secret":
        return in_state
    value = value_at(program.inputs, path)
    if value is None:
        # The provider adds names, labels and a release's defaults; anything else is the program's.
        return in_state if path[0] == "metadata" or program.type == RELEASE_TYPE else value
    return in_state if has_unknown(value) else value


def _identity(record: EngineRecord) -> Subject:
    namespace, _, name = record.id.rpartition("/")
    return Subject(record.resource.type.rsplit(":", 1)[-1], name, namespace or None)
