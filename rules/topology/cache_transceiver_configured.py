"""Prefill and decode workers are configured to hand over KV cache."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.kv_transport.cache_transceiver import BACKENDS, SETTING, written_backend
from rules.reading.kv_transport.disaggregation import Role, read_role
from rules.reading.kv_transport.vllm_transfer import KV_TRANSFER_CONFIG
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    role = read_role(worker)
    if role == "aggregated":
        return
    if is_tensorrt_llm(worker):
        message = _tensorrt_llm(graph, worker, role)
    elif is_vllm(worker):
        message = _vllm(graph, worker, role)
    else:
        return
    if message is not None:
        yield failed(worker.resource, worker.name, message)


def _tensorrt_llm(graph: ResourceGraph, worker: Worker, role: Role) -> str | None:
    written = written_backend(graph, worker)
    if written is None:
        return f"is a {role} worker without {SETTING}, so its engine transfers no KV cache"
    if written.value in BACKENDS:
        return None
    return (
        f"has {SETTING} {written.value!r} ({written.source}), which is not one of {', '.join(BACKENDS)}, in "
        "upper case: its engine ends at start"
    )


def _vllm(graph: ResourceGraph, worker: Worker, role: Role) -> str | None:
    # A decode worker without it does all the work itself, and starts.
    if role == "prefill" and read_vllm(graph, worker).mapping(KV_TRANSFER_CONFIG) is None:
        return f"is a prefill worker without {KV_TRANSFER_CONFIG}, so it ends at start"
    return None


RULE = Rule(
    id="cache-transceiver-configured",
    title="Prefill and decode workers are configured to hand over KV cache",
    severity=Severity.MANDATORY,
    reason=(
        "TensorRT-LLM has no transceiver unless its backend is named, and refuses a name that is not written "
        "in upper case; dynamo.vllm refuses to be a prefill worker without a connector."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (CacheTransceiverConfig) at 21a5a51; ai-dynamo "
        "1.2.1 dynamo/vllm/args.py"
    ),
    lines=(
        "TensorRT-LLM 1.3.0rc14",
        "Dynamo 1.2",
    ),
    fix=(
        "TensorRT-LLM: cache_transceiver_config.backend DEFAULT, UCX or NIXL in the engine file of both. "
        'vLLM: --kv-transfer-config \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\' on both.'
    ),
    check=_check,
)
