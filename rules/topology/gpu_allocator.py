"""Who hands out a node's GPUs: the device plugin, the DRA driver, or by mistake both."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph, Value
from rules.model import Observation, Severity, failed, undecided
from rules.reading.devices import read_device_claims
from rules.reading.node_selection import selected_pools
from rules.reading.placements import read_candidates
from rules.reading.pods.pods import PodTemplate, Unreadable, read_pods
from rules.reading.pods.workers import GPU_RESOURCE, Worker
from rules.reading.releases import releases_of
from rules.reading.shapes import Undecided, field, known
from rules.rule import graph_rule
from rules.subjects import WORKERS

_GPU_DEVICE_CLASS = "gpu.nvidia.com"
_DRIVER_CHARTS = ("nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu")
_OPERATOR_CHART = "gpu-operator"
_PLUGIN_CHART = "nvidia-device-plugin"
_ANYWHERE = "an unknown pool"


@dataclass(slots=True)
class _Users:
    """The first that gets its GPUs in each way, in one pool."""

    plugin: Worker | None = None
    claim: PodTemplate | None = None


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "Neither knows what the other gave away: both hand out the same GPU, and two engines run out of its "
        "memory."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html; NVIDIA/aicr "
        "(device plugin and DRA on one node); kubernetes-sigs/dra-driver-nvidia-gpu chart values"
    ),
    lines=("NVIDIA DRA driver of 2026-08",),
    fix=(
        "Ask for nvidia.com/gpu everywhere, with resources.gpus.enabled false in the DRA driver's values, or "
        "claim everywhere, with devicePlugin.enabled false."
    ),
)
def one_gpu_allocator(graph: ResourceGraph) -> Iterator[Observation]:
    """One allocator hands out a node's GPUs: the device plugin or the DRA driver."""
    pools: dict[str, _Users] = {}
    yield from WORKERS.judge(graph, lambda _, worker: _collect_worker(graph, worker, pools))
    for template in read_pods(graph):
        if isinstance(template, Unreadable):
            # Of its workers there is a finding already.
            continue
        try:
            _collect_claim(graph, template, pools)
        except Undecided as reason:
            yield undecided(template.resource, template.name, str(reason))
    for name, users in _shared(pools):
        if users.plugin is not None and users.claim is not None:
            yield failed(
                users.claim.resource,
                users.claim.name,
                f"claims GPUs of {_GPU_DEVICE_CLASS} from the DRA driver, while {users.plugin.name} asks the "
                f"device plugin for {users.plugin.gpus_per_pod} {GPU_RESOURCE} in {name}",
            )
    yield from _of_releases(graph)


def _collect_worker(graph: ResourceGraph, worker: Worker, pools: dict[str, _Users]) -> tuple[()]:
    if worker.gpus_per_pod:
        for name in _names(lambda: [candidate.name for candidate in read_candidates(graph, worker)]):
            users = pools.setdefault(name, _Users())
            users.plugin = users.plugin or worker
    # Nothing is wrong with one alone.
    return ()


def _collect_claim(graph: ResourceGraph, template: PodTemplate, pools: dict[str, _Users]) -> None:
    claims = read_device_claims(graph, template)
    for claim in claims:
        if claim.device_classes is None:
            raise Undecided(f"nothing here says what its claim {claim.name} asks for")
    if any(_GPU_DEVICE_CLASS in (claim.device_classes or ()) for claim in claims):
        for name in _names(lambda: [pool.name for pool in selected_pools(graph, template)]):
            users = pools.setdefault(name, _Users())
            users.claim = users.claim or template


def _names(read: Callable[[], Sequence[str]]) -> Sequence[str]:
    names = known(read)
    return [_ANYWHERE] if names is None else [f"pool {name}" for name in names]


def _shared(pools: Mapping[str, _Users]) -> Iterator[tuple[str, _Users]]:
    """Each pool, with those who may run in any."""
    anywhere = pools.get(_ANYWHERE, _Users())
    for name, users in pools.items():
        yield name, _Users(users.plugin or anywhere.plugin, users.claim or anywhere.claim)


def _of_releases(graph: ResourceGraph) -> Iterator[Observation]:
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
