"""What of a stack is fixed when it is created, and how to change it all the same.

Each run exports these values, and the next one compares before it registers anything. Without that a changed
member count would restart every member with a list of members that the others do not have.
"""

from collections.abc import Mapping, Sequence

from components.servers import BundledServers, EtcdArgs, EtcdServers, ExternalServers, NatsArgs, NatsServers
from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.plan.cache_plan import ExistingVolume
from stacks.plan.platform import OwnPlatform
from stacks.plan.stack_plan import StackPlan
from stacks.updates.guards.fixed_of_a_cluster import cluster_steps, cluster_values
from stacks.updates.guards.fixed_of_layers import LAYERS, layer_steps, layer_values, with_layers

OUTPUT_NAME = "fixedAtCreation"
"""The stack output that holds the values."""

REBUILT_VARIABLE = "DYNAMO_STACK_REBUILT"
"""Environment variable with the settings whose procedure was followed, separated by commas."""

_GUIDE = "docs/change-what-is-fixed.md"
_END = "pulumi destroy --target '**:{what}' --target-dependents"
_END_GRAPH = f"end the graph: {_END.format(what='DynamoGraphDeployment::**')} (the model cache stays)"
_SECOND_STACK = (
    "without an interruption instead: a second stack with platform.kind existing, a serving.namespace of its "
    "own and GPUs of its own, then destroy this one's graph"
)


def fixed_values(stack: StackPlan) -> dict[str, str | int]:
    """Return the values to export, each by the setting that it comes from."""
    layers = stack.layers
    platform = stack.platform
    values: dict[str, str | int] = {**layer_values(layers), **cluster_values(stack)}
    if "platform" not in layers.joined and layers.own != ("infrastructure",):
        values["platform.kind"] = platform.kind
    if layers.owns("serving") and not isinstance(stack.cache, ExistingVolume):
        values["serving.namespace.kind"] = _kind(exists=stack.serving.namespace_exists)
    if isinstance(platform, OwnPlatform):
        values["platform.namespace.kind"] = _kind(exists=platform.namespace_exists)
        values["platform.discovery"] = platform.release.discovery
        values |= _server_values("platform.nats", platform.release.nats)
        if platform.release.etcd is not None:
            values |= _server_values("platform.etcd", platform.release.etcd)
    return values


def _server_values(key: str, servers: NatsServers | EtcdServers) -> dict[str, str | int]:
    kind = {f"{key}.kind": servers.kind}
    match servers:
        case ExternalServers():
            return {**kind}
        case BundledServers():
            return {**kind, f"{key}.storageClassName": servers.storage_class_name}
        case NatsArgs(members) | EtcdArgs(members):
            return {
                **kind,
                f"{key}.members": members.members,
                # The API server lets nobody change the claim templates of a StatefulSet.
                f"{key}.storageClassName": members.storage_class_name,
                f"{key}.volumeSize": members.volume_size,
            }


def _kind(*, exists: bool) -> str:
    return "existing" if exists else "own"


def changed_problems(
    previous: Mapping[str, object] | None, now: Mapping[str, str | int], rebuilt: str = ""
) -> tuple[Problem, ...]:
    """Return what to say about each fixed value that is no longer what it was.

    Args:
        previous: what the last run exported; None if there was none, or one that exported nothing.
        now: what this run would export.
        rebuilt: value of the environment variable REBUILT_VARIABLE.

    """
    before, acknowledged = with_layers(previous or {}), _keys(rebuilt)
    # A number has come back from the engine as 3.0, which equals 3.
    changed = [key for key, value in now.items() if key in before and before[key] != value]
    return tuple(
        _problem(key, before[key], now)
        for key in changed
        if key not in acknowledged and not _goes_with_another(key, changed)
    )


def unknown_rebuilt(
    previous: Mapping[str, object] | None, now: Mapping[str, str | int], rebuilt: str
) -> tuple[Problem, ...]:
    """Return what to say about the keys in REBUILT_VARIABLE that are no fixed value: of the environment."""
    unknown = _keys(rebuilt) - set(now) - set(with_layers(previous or {}))
    message = "no setting of this name is fixed when a stack is created"
    return tuple(
        Problem(REBUILT_VARIABLE, key, message, allowed=", ".join(now), suggestion=nearest(key, now))
        for key in sorted(unknown)
    )


def _keys(rebuilt: str) -> set[str]:
    return {key.strip() for key in rebuilt.split(",") if key.strip()}


def _goes_with_another(key: str, changed: Sequence[str]) -> bool:
    """Whether what this setting belongs to is another one altogether, and it is new with that."""
    if key == LAYERS:
        # What exists already is nobody's layer.
        return "cluster.kind" in changed or "platform.kind" in changed
    part, _, _ = key.partition(".")
    kind_of_its_part = key.rpartition(".")[0] + ".kind"
    whole = ("cluster.kind", f"{part}.kind", kind_of_its_part)
    return any(kind in changed for kind in whole if kind != key)


def _problem(key: str, before: object, now: Mapping[str, str | int]) -> Problem:
    was = int(before) if isinstance(before, float) else before
    kind_stays = not key.endswith(".kind")
    own_servers = kind_stays and now.get(key.rpartition(".")[0] + ".kind") == "own"
    steps = _steps(key, own_servers=own_servers)
    numbered = "".join(f"\n    {number}. {step}" for number, step in enumerate(steps, start=1))
    message = f"fixed at {was} when this stack was created; nothing was created or changed"
    return Problem(
        key,
        now[key],
        message,
        allowed=str(was),
        suggestion=f"{key}: {was}; or, with an interruption ({_GUIDE}):{numbered}",
    )


def _steps(key: str, *, own_servers: bool) -> list[str]:
    """Return the procedure that makes another value of this setting possible."""
    if key == LAYERS:
        return layer_steps()
    if key.startswith(("cluster.", "modelCache.")):
        return cluster_steps(key)
    if key.endswith(".namespace.kind"):
        # An own one that leaves the program would be deleted, with everything in it.
        return ["pulumi destroy (lifecycle production keeps model, data and namespace)", "pulumi up again"]
    apply_it = f"{REBUILT_VARIABLE}={key} pulumi up"
    if key == "platform.discovery":
        return [_END_GRAPH, apply_it, _SECOND_STACK]
    if key == "platform.kind":
        return [
            "end the graphs of all stacks that use this platform, then the platform: "
            + _END.format(what="Release::**"),
            apply_it,
        ]
    server = key.split(".")[1]
    target = f"StatefulSet::{server}" if own_servers else "Release::**"
    return [
        "end the graphs of all stacks that use this platform",
        f"end the platform and its {server}: {_END.format(what=target)}",
        f"delete their volumes: kubectl -n <platform.namespace> delete pvc -l "
        f"'app.kubernetes.io/name in (dynamo-{server}, {server})'",
        apply_it,
    ]
