"""Ranks of attention data parallelism on x86 may open each other's GPU memory."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.variables import variable
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.nodes.placements import read_candidates
from rules.reading.pods.security_context import read_privileges
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, text_at

_FORCED = "TRTLLM_FORCE_COMM_METHOD"
_WITHOUT_SHARED_MEMORY = "ALLGATHER"
_X86 = "amd64"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, lambda worker, settings: _check_worker(graph, worker, settings))


def _check_worker(
    graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings
) -> Iterator[Observation]:
    profile = text_at(worker.container, "securityContext", "seccompProfile", "type") or text_at(
        worker.pod, "securityContext", "seccompProfile", "type"
    )
    if profile != "RuntimeDefault" or read_privileges(worker).has("SYS_PTRACE"):
        return
    ranks = settings.count("tensor_parallel_size", default=1)
    if ranks.value == 1 or not settings.switch("enable_attention_dp"):
        return
    if (variable(worker, _FORCED) or "").upper() == _WITHOUT_SHARED_MEMORY or not _on_x86(graph, worker):
        return
    yield failed(
        worker.resource,
        worker.name,
        f"its {ranks.value} ranks ({ranks.source}) open each other's GPU memory with pidfd_getfd, which "
        "seccomp profile RuntimeDefault forbids without the capability SYS_PTRACE: a slower way is taken",
    )


def _on_x86(graph: ResourceGraph, worker: Worker) -> bool:
    selected = text_at(worker.pod, "nodeSelector", "kubernetes.io/arch")
    if selected is not None:
        return selected == _X86
    try:
        candidates = read_candidates(graph, worker)
    except Undecided:
        return False
    return any(candidate.instance_type.cpu_architecture == _X86 for candidate in candidates)


RULE = Rule(
    id="ranks-can-share-memory",
    title="Ranks of attention data parallelism on x86 may open each other's GPU memory",
    severity=Severity.ADVISORY,
    reason=(
        "The engine's two fast ways between ranks need it. Where it is forbidden the engine falls back to a "
        "slower one and says so in one line of its log. What the node's kernel.yama.ptrace_scope allows is "
        "not in any manifest."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_mnnvl_utils.py and "
        "tensorrt_llm/_torch/modules/fused_moe/communication/communication_factory.py; containerd "
        "contrib/seccomp/seccomp_default.go"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Leave the worker without a seccomp profile, or add the capability SYS_PTRACE beside it.",
    check=_check,
)
