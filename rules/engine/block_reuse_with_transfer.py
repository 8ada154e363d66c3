"""A worker that transfers its KV cache keeps no blocks for reuse."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.engines.transfer_buffers import transceiver_backend
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    if read_role(worker) == "aggregated":
        return
    backend = transceiver_backend(settings)
    if backend is None or not settings.switch("kv_cache_config", "enable_block_reuse", default=True):
        return
    reuse = settings.setting("kv_cache_config", "enable_block_reuse", default=True)
    yield failed(
        worker.resource,
        worker.name,
        f"reuses blocks of its KV cache (enable_block_reuse {str(reuse.value).lower()}, {reuse.source}) and "
        f"transfers it by {backend.value} ({backend.source})",
    )


RULE = Rule(
    id="block-reuse-with-transfer",
    title="A worker that transfers its KV cache keeps no blocks for reuse",
    severity=Severity.ADVISORY,
    reason="With block reuse, a transfer that is sent while the worker goes on can hang.",
    source="NVIDIA/TensorRT-LLM#12542",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set kv_cache_config.enable_block_reuse: false.",
    check=_check,
)
