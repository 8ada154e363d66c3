"""Refuses changes of settings that are fixed when a stack is created, and says where the guide makes them.

Each run exports these values, and the next one compares before it registers anything:
- members of NATS and etcd: another number would restart every member with a list of members that the others
  do not have;
- the network and the cluster: Pulumi would replace the one with all addresses, the other with all that is on
  it. EKS refuses another zone for a control plane that runs (aws/containers-roadmap#2330), half an hour into
  the `up` that asked for it. IAM moves no role to another path: the engine would replace the roles, and the
  cluster with its own;
- layers: one that leaves a stack is to Pulumi a list of resources to delete, among them the cluster on which
  another stack's graph serves; one that comes is a list to create over what another stack has.
"""

from collections.abc import Mapping, Sequence

from stacks.errors import NOTHING_DONE, Problem
from stacks.plan.cache_plan import ExistingVolume
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.platform.platform_plan import OwnPlatform
from stacks.plan.stack_plan import StackPlan
from stacks.settings.cluster import AdoptedNetworkSettings, LustreStorage
from stacks.settings.platform import Etcd, Nats

# Of the storage the claim would stay, and its file system go from under it.
_CLUSTER = ("modelCache.storage.kind", "cluster.name", "cluster.accountId", "cluster.region")
_LAYERS = "layers"
OUTPUT_NAME = "fixedAtCreation"
"""The stack output that holds the values."""
REBUILT_VARIABLE = "DYNAMO_STACK_REBUILT"
"""Environment variable with the settings whose procedure was followed, separated by commas."""
_GUIDE = "docs/change-what-is-fixed.md"


def fixed_values(stack: StackPlan) -> dict[str, str | int]:
    """Return the values to export, each by the setting that it comes from."""
    layers = stack.layers
    platform = stack.platform
    values: dict[str, str | int] = {_LAYERS: ", ".join(layers.own), **_cluster_values(stack)}
    if "platform" not in layers.joined and layers.own != ("infrastructure",):
        values["platform.kind"] = platform.kind if platform else "none"
    if layers.owns("serving") and not isinstance(stack.cache, ExistingVolume):
        values["serving.namespace.kind"] = _kind(exists=stack.serving.namespace_exists)
    if isinstance(platform, OwnPlatform):
        values["platform.namespace.kind"] = _kind(exists=platform.namespace_exists)
        values["platform.discovery"] = platform.typed.discovery
        values |= _server_values("platform.nats", platform.typed.nats)
        if platform.typed.etcd is not None:
            values |= _server_values("platform.etcd", platform.typed.etcd)
    return values


def changed_problems(
    before: Mapping[str, object], now: Mapping[str, str | int], rebuilt: str = ""
) -> tuple[Problem, ...]:
    """Return what to say about each fixed value that is no longer what it was.

    `before` is empty where no run exported anything, `rebuilt` the value of REBUILT_VARIABLE.
    """
    acknowledged = {key.strip() for key in rebuilt.split(",")}
    # A number has come back from the engine as 3.0, which equals 3.
    changed = [key for key, value in now.items() if key in before and before[key] != value]
    return tuple(
        _problem(key, before[key], now)
        for key in changed
        if key not in acknowledged and not _goes_with_another(key, changed)
    )


def _network_values(plan: EksPlan) -> dict[str, str]:
    network = plan.cluster.network
    if isinstance(network, AdoptedNetworkSettings):
        return {
            "cluster.network.kind": "existing",
            "cluster.network.vpcId": network.vpc_id,
            "cluster.network.subnets": ", ".join(plan.control_plane),
        }
    # In their order: the first has the NAT gateway that all others leave by.
    return {
        "cluster.network.kind": "own",
        "cluster.network.cidr": network.cidr,
        "cluster.network.zones": ", ".join(plan.control_plane),
    }


def _server_values(key: str, typed: Nats | Etcd) -> dict[str, str | int]:
    # Volumes too: the API server lets nobody change the claim templates of a StatefulSet.
    fixed = {"kind", "members", "storage_class_name", "volume_size"}
    values = typed.model_dump(by_alias=True, include=fixed)
    return {f"{key}.{name}": value for name, value in values.items()}


def _kind(*, exists: bool) -> str:
    return "existing" if exists else "own"


def _goes_with_another(key: str, changed: Sequence[str]) -> bool:
    """Whether what this setting belongs to is another one altogether, and it is new with that."""
    if key == _LAYERS:
        # A cluster or platform that existed before is nobody's layer.
        return "cluster.kind" in changed or "platform.kind" in changed
    part, _, _ = key.partition(".")
    kind_of_its_part = key.rpartition(".")[0] + ".kind"
    whole = ("cluster.kind", f"{part}.kind", kind_of_its_part)
    return any(kind in changed for kind in whole if kind != key)


def _problem(key: str, before: object, now: Mapping[str, str | int]) -> Problem:
    was = int(before) if isinstance(before, float) else before
    message = f"fixed at {was} when this stack was created; {NOTHING_DONE}"
    suggestion = f"{key}: {was}; or, with an interruption, as {_GUIDE} says"
    return Problem(key, now[key], message, allowed=str(was), suggestion=suggestion)


def _cluster_values(stack: StackPlan) -> dict[str, str]:
    values = {"cluster.kind": stack.settings.cluster.kind}
    plan = stack.infrastructure
    # On another cluster nothing of the stack would be there, whether it makes the cluster or joins it.
    contract = stack.layers.contracts.get("infrastructure", {})
    values |= {key: str(contract[key]) for key in _CLUSTER if key in contract}
    if plan is None:
        return values
    values |= {"cluster.roles.path": plan.cluster.roles.path, **_network_values(plan)}
    if plan.storage is not None and isinstance(plan.storage.typed, LustreStorage):
        values["modelCache.storage.zone"] = str(plan.storage.zone)
    return values
