"""Prefill and decode workers are configured to hand over KV cache."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import READ_SINCE
from rules.reading.engines.runtime_version import Line, by_line
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.kv_transport.cache_transceiver import BACKENDS, SETTING, written_backend
from rules.reading.kv_transport.disaggregation import MODE_FLAG, MODE_OF_VLLM, Role, read_role
from rules.reading.kv_transport.vllm_transfer import KV_TRANSFER_CONFIG, WITHOUT_A_DEFAULT
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided


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
        message = f"is a {role} worker without {SETTING}, so its engine transfers no KV cache"
    elif written.value in BACKENDS:
        return None
    else:
        message = (
            f"has {SETTING} {written.value!r} ({written.source}), which is not one of {', '.join(BACKENDS)}, "
            "in upper case: its engine ends at start"
        )
    if not by_line(_is_read, worker.container, worker.described_by):
        raise Undecided(f"{message}; that was read in {_shown(READ_SINCE)}, and its image is older")
    return message


def _is_read(line: Line) -> bool:
    return line >= READ_SINCE


def _vllm(graph: ResourceGraph, worker: Worker, role: Role) -> str | None:
    # A decode worker without it does all the work itself, and starts.
    if role != "prefill" or read_vllm(graph, worker).mapping(KV_TRANSFER_CONFIG) is not None:
        return None
    if not _names_a_mode(worker) and by_line(_connects_by_itself, worker.container, worker.described_by):
        return None
    return f"is a prefill worker without {KV_TRANSFER_CONFIG}, so it ends at start"


def _names_a_mode(worker: Worker) -> bool:
    """Whether it is told its role as only releases can be that have no connector by default."""
    return any(
        command.flags.value(MODE_FLAG) is not None or MODE_OF_VLLM in command.environment
        for command in worker.commands
    )


def _connects_by_itself(line: Line) -> bool:
    return line < WITHOUT_A_DEFAULT


def _shown(line: Line) -> str:
    return f"{line[0]}.{line[1]}"


RULE = Rule(
    id="cache-transceiver-configured",
    title="Prefill and decode workers are configured to hand over KV cache",
    severity=Severity.MANDATORY,
    reason=(
        "TensorRT-LLM has no transceiver unless its backend is named, and refuses a name that is not written "
        "in upper case; dynamo.vllm refuses to be a prefill worker without a connector from 1.0 on, while "
        "older ones took NIXL by themselves."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (CacheTransceiverConfig) at 21a5a51; ai-dynamo "
        "0.5.1, 0.6.1, 0.9.1, 1.0.2, 1.2.1, 1.4.2 and 1.6.1 from PyPI, dynamo/vllm/args.py"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "Dynamo 0.5 to 1.6"),
    fix=(
        "TensorRT-LLM: cache_transceiver_config.backend DEFAULT, UCX or NIXL in the engine file of both. "
        'vLLM: --kv-transfer-config \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\' on both.'
    ),
    check=_check,
)
