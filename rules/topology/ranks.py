"""Whether the ranks of a worker get the GPUs that they use, and reach each other's memory."""

import math
from collections.abc import Iterator, Mapping

from engines.tensorrt_llm.runtime_defects import DEEP_EP_OFF, WITHOUT_DEEP_EP
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.devices import read_device_claims
from rules.reading.engines.command_settings import is_sglang, is_vllm, read_sglang, read_vllm
from rules.reading.engines.tensorrt_llm import read_tensorrt_llm
from rules.reading.placements import read_candidates
from rules.reading.pods.workers import Worker, read_privileges
from rules.reading.releases import known_lines
from rules.reading.shapes import Count, Undecided, known, text_at
from rules.rule import rule
from rules.subjects import TENSORRT_LLM_WORKERS, WORKERS, TensorRtLlmWorker

_DATA = "--data-parallel-size"
_ELASTIC = "--enable-elastic-ep"
_X86 = "amd64"


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "With fewer GPUs than the engine's own product of parallelisms it ends at start; with more, the rest "
        "is paid for and idle. TensorRT-LLM multiplies tensor, pipeline and context parallelism, where "
        "attention data parallelism and expert parallelism add none; vLLM multiplies tensor, pipeline and "
        "data parallelism."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/mapping.py at 05ebebb; order of settings: ai-dynamo 1.2.1 "
        "llm_worker.py; vllm 0.20.1 vllm/config/parallel.py"
    ),
    lines=("Dynamo 1.2", "TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix=(
        "Set the worker's GPUs to the product, or tensor_parallel_size (vLLM: --tensor-parallel-size) to the "
        "GPUs."
    ),
)
def gpus_match_parallelism(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A worker asks for exactly the GPUs that its engine uses."""
    factors = _read_parallelism(graph, worker)
    used = math.prod(count.value for count in factors.values())
    requested = worker.gpus_per_pod * worker.pods_per_worker
    if used == requested or (used < requested and _may_grow(graph, worker)):
        return
    if not requested:
        _refuse_given(graph, worker)
    asked = f"{requested} GPU{'s' if requested != 1 else ''}"
    if worker.pods_per_worker > 1:
        asked += f" ({worker.pods_per_worker} pods of {worker.gpus_per_pod})"
    product = " x ".join(f"{kind} {count.value} ({count.source})" for kind, count in factors.items())
    yield f"asks for {asked}, but its engine uses {used}: {product}"


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Tensor parallelism exchanges activations twice in every layer. Across the network instead of NVLink "
        "each token waits for it, and more GPUs make the worker slower."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html (NVLink domains of "
        "the instance types)"
    ),
    lines=EVERY_RELEASE,
    fix="Use at most the domain's GPUs for a worker, and more replicas in place of more ranks.",
)
def tensor_parallelism_inside_nvlink_domain(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Tensor-parallel ranks of one worker share an NVLink domain."""
    if worker.pods_per_worker == 1 or not worker.gpus_per_pod:
        return
    tensor = _read_parallelism(graph, worker)["tensor parallelism"]
    # Ranks are numbered by node: tensor parallelism up to a pod's GPUs stays inside it.
    if tensor.value <= worker.gpus_per_pod:
        return
    for placement in read_candidates(graph, worker):
        domain, node = max(placement.nvlink_domains), placement.instance_type
        if tensor.value <= domain:
            continue
        ends = "its racks" if node.nvlink_crosses_nodes else "the node"
        yield (
            f"tensor parallelism {tensor.value} ({tensor.source}) spans {worker.pods_per_worker} pods of "
            f"{worker.gpus_per_pod} GPUs, but in pool {placement.name} ({node.name}) NVLink ends at {ends} "
            f"with {domain} GPUs"
        )


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "The engine's two fast ways between ranks need it. Where it is forbidden the engine takes DeepEP, "
        "which stops on GB200, or with TRTLLM_CAN_USE_DEEP_EP=0 all-gather, which is slower; one line of its "
        "log says which. What the node's kernel.yama.ptrace_scope allows is not in any manifest."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_mnnvl_utils.py and "
        "tensorrt_llm/_torch/modules/fused_moe/communication at 03c36d6; containerd "
        "contrib/seccomp/seccomp_default.go"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Leave the worker without a seccomp profile, or add the capability SYS_PTRACE beside it; else set "
        "TRTLLM_CAN_USE_DEEP_EP to 0."
    ),
)
def ranks_can_share_memory(graph: ResourceGraph, each: TensorRtLlmWorker) -> Iterator[str]:
    """Ranks of attention data parallelism on x86 may open each other's GPU memory."""
    worker, settings = each.worker, each.settings
    profile = text_at(worker.container, "securityContext", "seccompProfile", "type") or text_at(
        worker.pod, "securityContext", "seccompProfile", "type"
    )
    if profile != "RuntimeDefault" or read_privileges(worker).has("SYS_PTRACE"):
        return
    ranks = settings.count("tensor_parallel_size", default=1)
    if ranks.value == 1 or not settings.switch("enable_attention_dp"):
        return
    if (worker.variable(WITHOUT_DEEP_EP.name) or "").upper() == WITHOUT_DEEP_EP.value or not _on_x86(
        graph, worker
    ):
        return
    taken = (
        "all-gather, a slower way," if worker.variable(DEEP_EP_OFF.name) == DEEP_EP_OFF.value else "DeepEP"
    )
    yield (
        f"its {ranks.value} ranks ({ranks.source}) open each other's GPU memory with pidfd_getfd, which "
        f"seccomp profile RuntimeDefault forbids without the capability SYS_PTRACE: {taken} is taken"
    )


def _read_parallelism(graph: ResourceGraph, worker: Worker) -> Mapping[str, Count]:
    """All factors of the worker's engine, tensor parallelism first.

    TensorRT-LLM multiplies tensor, pipeline and context parallelism; attention data parallelism and expert
    parallelism share those ranks (NVIDIA/TensorRT-LLM tensorrt_llm/mapping.py at 05ebebb). vLLM multiplies
    tensor, pipeline and data parallelism (vllm 0.20.1 vllm/config/parallel.py), SGLang tensor and pipeline
    parallelism, and data parallelism unless that shares the ranks of its attention (sglang 0.5.14
    sglang/srt/managers/data_parallel_controller.py).

    Raises:
        EngineFileProblem: its engine file cannot be what the engine needs.
    """
    tensor, pipeline, data = "tensor parallelism", "pipeline parallelism", "data parallelism"
    flags = {tensor: "--tensor-parallel-size", pipeline: "--pipeline-parallel-size"}
    if is_vllm(worker):
        options = read_vllm(graph, worker)
        # A single pod has the local ranks; those of other nodes are other pods' own.
        is_local = worker.pods_per_worker == 1 and options.at(f"{_DATA}-local") is not None
        flags[data] = f"{_DATA}-local" if is_local else _DATA
        return {kind: options.count(flag, 1) for kind, flag in flags.items()}
    if is_sglang(worker):
        options = read_sglang(graph, worker)
        found = {kind: options.count(flag, 1) for kind, flag in flags.items()}
        return found if options.switch("--enable-dp-attention") else {**found, data: options.count(_DATA, 1)}
    settings = read_tensorrt_llm(graph, worker)
    kinds = ("tensor", "pipeline", "context")
    return {f"{kind} parallelism": settings.count(f"{kind}_parallel_size", default=1) for kind in kinds}


def _may_grow(graph: ResourceGraph, worker: Worker) -> bool:
    """Whether further ranks join the engine later, for whom the GPUs are kept (vllm --enable-elastic-ep)."""
    return is_vllm(worker) and read_vllm(graph, worker).switch(_ELASTIC) is True


def _refuse_given(graph: ResourceGraph, worker: Worker) -> None:
    for claim in read_device_claims(graph, worker.template):
        if claim.used and not claim.is_channel:
            raise Undecided(f"asks for no GPU by number; its claim {claim.name} may bring some")
    says_nothing = "resources" not in worker.described_by and "resources" not in worker.container
    if worker.template.shape == "service" and says_nothing and not known_lines(worker.container):
        # ai-dynamo/dynamo#2398, taken back by #2471.
        raise Undecided("asks for nothing, which an operator of August 2025 took for one GPU")


def _on_x86(graph: ResourceGraph, worker: Worker) -> bool:
    selected = text_at(worker.pod, "nodeSelector", "kubernetes.io/arch")
    if selected is not None:
        return selected == _X86
    candidates = known(read_candidates, graph, worker) or ()
    return any(candidate.instance_type.cpu_architecture == _X86 for candidate in candidates)
