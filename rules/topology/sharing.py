"""What may be shared and what not: a GPU by two allocators, and memory by the ranks of a worker."""

from collections.abc import Iterator, Sequence

from hardware import GPU_RESOURCE
from resource_graph import ResourceGraph
from rules.reading.devices import read_device_claims
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm
from rules.reading.placements import read_candidates, selected_pools
from rules.reading.pods.containers import OWN_SHARED_MEMORY, shared_memory
from rules.reading.pods.pods import PodTemplate, readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.pools import Pool
from rules.reading.shapes import Undecided, known, quantity
from rules.rule import CONFIGURED_WORKERS, POD_TEMPLATES, Severity, names, rule
from rules.topology.parallelism import TENSOR, read_parallelism

_GPU_DEVICE_CLASS = "gpu.nvidia.com"


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


@rule(
    POD_TEMPLATES,
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
def one_gpu_allocator(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Device plugin and DRA driver both hand out a node's GPUs."""
    claims = read_device_claims(graph, template)
    if not any(_GPU_DEVICE_CLASS in (claim.device_classes or ()) for claim in claims):
        unknown = next((claim.name for claim in claims if claim.device_classes is None), None)
        if unknown is not None:
            raise Undecided(f"nothing here says what its claim {unknown} asks for")
        return
    claimed = known(selected_pools, graph, template)
    for worker in readable(read_workers(graph)):
        asked = known(read_candidates, graph, worker) if worker.gpus_per_pod else ()
        # Who may run in any pool meets those of each.
        shared = claimed if asked is None else [pool for pool in asked if claimed is None or pool in claimed]
        if shared is None or shared:
            yield (
                f"claims GPUs of {_GPU_DEVICE_CLASS} from the DRA driver, while {worker.name} asks the "
                f"device plugin for {worker.gpus_per_pod} {GPU_RESOURCE} in {_shown(shared)}"
            )
            return


def _shown(pools: Sequence[Pool] | None) -> str:
    return "an unknown pool" if pools is None else f"pool {names(pools)}"
