"""What may be shared and what not: a GPU by two allocators, and memory by the ranks of a worker."""

from collections.abc import Iterator, Sequence

from engines.tensorrt_llm.on_lines import DEEP_EP_OFF, WITHOUT_DEEP_EP
from hardware import GPU_RESOURCE
from resource_graph import ResourceGraph
from rules.reading.devices import read_device_claims
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.placements import ARCHITECTURE_LABEL, read_candidates, selected_pools
from rules.reading.pods.containers import OWN_SHARED_MEMORY, read_privileges, shared_memory
from rules.reading.pods.pods import PodTemplate
from rules.reading.pods.workers import Worker
from rules.reading.pools import Pool
from rules.reading.shapes import Undecided, known, quantity, text_at
from rules.rule import (
    READABLE_PODS,
    READABLE_WORKERS,
    TENSORRT_LLM_WORKERS,
    WORKERS,
    Observation,
    Severity,
    failed,
    graph_rule,
)
from rules.topology.parallelism import TENSOR, read_parallelism

_X86 = "amd64"


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "TensorRT-LLM's two fast ways between ranks open each other's GPU memory. Where that is forbidden it "
        "takes DeepEP, which stops on GB200, or with TRTLLM_CAN_USE_DEEP_EP=0 all-gather, which is slower; "
        "one line of its log says which. What the node's kernel.yama.ptrace_scope allows is not in any "
        "manifest. vLLM's ranks and NCCL write to /dev/shm: in the 64Mi that a container has by itself NCCL "
        "ends with No space left on device, or a rank with a bus error."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_mnnvl_utils.py and "
        "tensorrt_llm/_torch/modules/fused_moe/communication at 03c36d6; containerd "
        "contrib/seccomp/seccomp_default.go; vllm-project/production-stack#276, vllm-project/vllm#1710, "
        "NVIDIA/nccl#525"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix=(
        "Leave the worker without a seccomp profile, or add the capability SYS_PTRACE beside it; else set "
        "TRTLLM_CAN_USE_DEEP_EP to 0. Mount an emptyDir of medium Memory at /dev/shm, of 1Gi or more."
    ),
)
def ranks_can_share_memory(graph: ResourceGraph) -> Iterator[Observation]:
    """Ranks cannot share memory: a seccomp profile forbids it, or /dev/shm is too small."""
    yield from TENSORRT_LLM_WORKERS.judge(graph, _forbidden_memory)
    yield from READABLE_WORKERS.judge(graph, _small_shared_memory)


def _small_shared_memory(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
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


def _forbidden_memory(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """The profile that keeps ranks from each other's GPU memory."""
    settings = read_settings(graph, worker)
    path = ("securityContext", "seccompProfile", "type")
    profile = text_at(worker.container, *path) or text_at(worker.pod, *path)
    if profile != "RuntimeDefault" or read_privileges(worker.template, worker.container).has("SYS_PTRACE"):
        return
    ranks = settings.count("tensor_parallel_size", default=1)
    if ranks.value == 1 or not settings.switch("enable_attention_dp"):
        return
    is_without = (worker.variable(WITHOUT_DEEP_EP.name) or "").upper() == WITHOUT_DEEP_EP.value
    if is_without or not _on_x86(graph, worker):
        return
    has_none = worker.variable(DEEP_EP_OFF.name) == DEEP_EP_OFF.value
    taken = "all-gather, a slower way," if has_none else "DeepEP"
    yield (
        f"its {ranks.value} ranks ({ranks.source}) open each other's GPU memory with pidfd_getfd, which "
        f"seccomp profile RuntimeDefault forbids without the capability SYS_PTRACE: {taken} is taken"
    )


def _on_x86(graph: ResourceGraph, worker: Worker) -> bool:
    selected = text_at(worker.pod, "nodeSelector", ARCHITECTURE_LABEL)
    if selected is not None:
        return selected == _X86
    candidates = known(read_candidates, graph, worker) or ()
    return any(candidate.instance_type.cpu_architecture == _X86 for candidate in candidates)


_GPU_DEVICE_CLASS = "gpu.nvidia.com"
_ANYWHERE = "an unknown pool"


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
