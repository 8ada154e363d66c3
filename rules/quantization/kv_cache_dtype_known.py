"""The engine knows the format that the KV cache is to have."""

from collections.abc import Iterator

from hardware import TENSORRT_LLM_KV_DTYPES, VLLM_KV_DTYPE_FAMILY, VLLM_KV_DTYPES
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engine_release import TENSORRT_LLM_LINES, VLLM_0_20, as_read
from rules.reading.engines.kv_formats import KvFormat, read_kv_format
from rules.reading.engines.sglang import is_sglang
from rules.reading.engines.vllm import is_vllm
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    try:
        found = read_kv_format(graph, worker)
    except EngineFileProblem:
        return
    # The options of SGLang are judged by the values that each release takes.
    if found is None or is_sglang(worker) or _is_known(found, worker):
        return
    known = VLLM_KV_DTYPES if is_vllm(worker) else TENSORRT_LLM_KV_DTYPES
    message = f"the KV cache is to be {found}, and its engine takes {', '.join(sorted(known))}"
    read = VLLM_0_20 if is_vllm(worker) else TENSORRT_LLM_LINES
    yield from as_read(worker, [failed(worker.resource, worker.name, message)], read)


def _is_known(found: KvFormat, worker: Worker) -> bool:
    if is_vllm(worker):
        return found.text in VLLM_KV_DTYPES or found.text.startswith(VLLM_KV_DTYPE_FAMILY)
    return found.text in TENSORRT_LLM_KV_DTYPES


RULE = Rule(
    id="kv-cache-dtype-known",
    title="The KV cache has a format that its engine knows",
    severity=Severity.MANDATORY,
    reason=(
        "TensorRT-LLM ends with a ValueError once it has loaded the configuration, bfloat16 included, which "
        "it calls auto; vLLM refuses the command line."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/model_loader.py "
        "(validate_and_set_kv_cache_quant); vllm 0.20.1 vllm/config/cache.py"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix="Write auto or fp8, in small letters.",
    check=_check,
)
