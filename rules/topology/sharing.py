"""What may be shared and what not: a GPU by two allocators, and memory by the ranks of a worker."""

from collections.abc import Iterator, Sequence

from hardware import GPU_RESOURCE
from resource_graph import ResourceGraph
from rules.reading.devices import read_device_claims
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm
from rules.reading.placements import read_candidates, selected_pools
from rules.reading.pods.containers import OWN_SHARED_MEMORY, shared_memory
from rules.reading.pods.pods import PodTemplate
from rules.reading.pods.workers import Worker
from rules.reading.pools import Pool
from rules.reading.shapes import Undecided, known, quantity
from rules.rule import (
    CONFIGURED_WORKERS,
    READABLE_PODS,
    WORKERS,
    Observation,
    Severity,
    failed,
    graph_rule,
    rule,
)
from rules.topology.parallelism import TENSOR, read_parallelism

_GPU_DEVICE_CLASS = "gpu.nvidia.com"
_ANYWHERE = "an unknown pool"


@rule(
    CONFIGURED_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Ranks and NCCL write to /dev/shm: in the 64Mi that a container has by itself NCCL ends with No "
        "space left on device, or a rank with a bus error."
    ),
    source="vllm-project/production-stack#276, vllm-project/vllm#1710, NVIDIA/nccl#525",
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix="Mount an emptyDir of medium Memory at /dev/shm, of 1Gi or more.",
)
def ranks_can_share_memory(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Ranks cannot share memory: /dev/shm is too small."""
    if not (is_vllm(worker) or is_tensorrt_llm(worker)) or worker.gpus_per_pod == 1:
        return
    shared = shared_memory(worker.template, worker.container)
    if shared is None or quantity(shared.value, shared.source) > quantity(OWN_SHARED_MEMORY.value, ""):
        return
    # Another rule says which settings cannot be read.
    factors = known(read_parallelism, graph, worker)
    ranks = None if factors is None else factors[TENSOR]
    if ranks is not None and ranks.value > 1:
        yield (
            f"its {ranks.value} ranks ({ranks.source}) exchange through {shared.value} of shared memory "
            f"({shared.source}), which NCCL alone can fill"
        )


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
    """Device plugin and DRA driver both hand out a node's GPUs."""
    by_plugin: dict[str, Worker] = {}
    by_claim: dict[str, PodTemplate] = {}

    def ask_plugin(_: ResourceGraph, worker: Worker) -> Sequence[str]:
        for name in _names(known(read_candidates, graph, worker)) if worker.gpus_per_pod else ():
            by_plugin.setdefault(name, worker)
        # The device plugin or the driver alone is no mistake.
        return ()

    def claim_gpus(_: ResourceGraph, template: PodTemplate) -> Sequence[str]:
        for name in _names(known(selected_pools, graph, template)) if _claims_gpus(graph, template) else ():
            by_claim.setdefault(name, template)
        return ()

    yield from WORKERS.judge(graph, ask_plugin)
    yield from READABLE_PODS.judge(graph, claim_gpus)
    # Who may run in any pool meets those of each.
    for name in {**by_plugin, **by_claim}:
        worker = by_plugin.get(name, by_plugin.get(_ANYWHERE))
        template = by_claim.get(name, by_claim.get(_ANYWHERE))
        if worker is not None and template is not None:
            yield failed(
                template.resource,
                template.name,
                f"claims GPUs of {_GPU_DEVICE_CLASS} from the DRA driver, while {worker.name} asks the "
                f"device plugin for {worker.gpus_per_pod} {GPU_RESOURCE} in {name}",
            )


def _claims_gpus(graph: ResourceGraph, template: PodTemplate) -> bool:
    claims = read_device_claims(graph, template)
    for claim in claims:
        if claim.device_classes is None:
            raise Undecided(f"nothing here says what its claim {claim.name} asks for")
    return any(_GPU_DEVICE_CLASS in (claim.device_classes or ()) for claim in claims)


def _names(pools: Sequence[Pool] | None) -> Sequence[str]:
    return [_ANYWHERE] if pools is None else [f"pool {pool.name}" for pool in pools]
