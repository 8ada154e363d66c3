"""One allocator hands out a node's GPUs: the device plugin or the DRA driver."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.device_claims import read_device_claims
from rules.reading.placements import read_candidates
from rules.reading.releases import releases_of
from rules.reading.shapes import Undecided, field
from rules.reading.workers import GPU_RESOURCE, Worker, check_workers

_GPU_DEVICE_CLASS = "gpu.nvidia.com"
_DRIVER_CHARTS = ("nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu")
_OPERATOR_CHART = "gpu-operator"
_PLUGIN_CHART = "nvidia-device-plugin"
_ANYWHERE = "an unknown pool"


@dataclass(slots=True)
class _Users:
    """The first worker of a pool that gets its GPUs in each way."""

    plugin: Worker | None = None
    claim: Worker | None = None


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    pools: dict[str, _Users] = {}
    yield from check_workers(graph, lambda worker: _collect(graph, worker, pools))
    for name, users in _shared(pools):
        if users.plugin is not None and users.claim is not None:
            yield failed(
                users.claim.resource,
                users.claim.name,
                f"claims GPUs of {_GPU_DEVICE_CLASS} from the DRA driver, while {users.plugin.name} asks the "
                f"device plugin for {users.plugin.gpus_per_pod} {GPU_RESOURCE} in {name}",
            )
    yield from _check_releases(graph)


def _collect(graph: ResourceGraph, worker: Worker, pools: dict[str, _Users]) -> Iterator[Observation]:
    claims = read_device_claims(graph, worker.template)
    by_claim = any(claim.device_classes and _GPU_DEVICE_CLASS in claim.device_classes for claim in claims)
    if by_claim or worker.gpus_per_pod:
        for name in _pools_of(graph, worker):
            users = pools.setdefault(name, _Users())
            if by_claim:
                users.claim = users.claim or worker
            if worker.gpus_per_pod:
                users.plugin = users.plugin or worker
    yield from ()


def _pools_of(graph: ResourceGraph, worker: Worker) -> list[str]:
    try:
        return [f"pool {candidate.pool}" for candidate in read_candidates(graph, worker)]
    except Undecided:
        return [_ANYWHERE]


def _shared(pools: Mapping[str, _Users]) -> Iterator[tuple[str, _Users]]:
    """Each pool, with those who may run in any."""
    anywhere = pools.get(_ANYWHERE, _Users())
    for name, users in pools.items():
        yield name, _Users(users.plugin or anywhere.plugin, users.claim or anywhere.claim)


def _check_releases(graph: ResourceGraph) -> Iterator[Observation]:
    operators = [(release, True) for release in releases_of(graph, _OPERATOR_CHART)]
    plugins = [(release, False) for release in releases_of(graph, _PLUGIN_CHART)]
    drivers = releases_of(graph, *_DRIVER_CHARTS)
    for plugin, is_operator in (*operators, *plugins):
        try:
            if is_operator and _value(plugin, "devicePlugin", "enabled") is False:
                continue
            for driver in (*drivers, *([plugin] if is_operator else [])):
                if _hands_out_gpus(driver, of_operator=driver is plugin):
                    yield failed(
                        plugin,
                        plugin.name,
                        f"runs the device plugin, and {driver.name} lets the DRA driver hand out the "
                        "same GPUs",
                    )
        except Undecided as reason:
            yield undecided(plugin, plugin.name, str(reason))


def _hands_out_gpus(release: Resource, *, of_operator: bool) -> bool:
    if of_operator:
        return _value(release, "draDriver", "gpus", "enabled") is True
    # On by default, but the chart then asks for a second word.
    enabled = _value(release, "resources", "gpus", "enabled") is not False
    return enabled and _value(release, "gpuResourcesEnabledOverride") is True


def _value(release: Resource, *path: str) -> Value:
    return field(release.inputs, "values", *path)


RULE = Rule(
    id="one-gpu-allocator",
    title="One allocator hands out a node's GPUs: the device plugin or the DRA driver",
    severity=Severity.MANDATORY,
    reason=(
        "Neither knows what the other gave away: both hand out the same GPU, and two engines run out of its "
        "memory."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html; NVIDIA/aicr "
        "(device plugin and DRA on one node); kubernetes-sigs/dra-driver-nvidia-gpu chart values"
    ),
    fix=(
        "Ask for nvidia.com/gpu everywhere, with resources.gpus.enabled false in the DRA driver's values, or "
        "claim everywhere, with devicePlugin.enabled false."
    ),
    check=_check,
)
