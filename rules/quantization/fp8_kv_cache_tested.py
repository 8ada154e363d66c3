"""An 8-bit KV cache with gpt-oss stays on GPUs on which NVIDIA tests it."""

from collections.abc import Iterator

from hardware import fp8_kv_cache_is_tested
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.checkpoints import read_checkpoint
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.kv_formats import read_kv_format
from rules.reading.nodes.placements import read_landing
from rules.reading.pods.workers import Worker

_FP8 = "fp8"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, lambda worker, _: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    found = read_kv_format(graph, worker)
    if found is None or found.text != _FP8 or read_checkpoint(graph, worker).mxfp4 is None:
        return
    landing = read_landing(graph, worker)
    for gpu in landing.accelerators:
        if not fp8_kv_cache_is_tested(gpu):
            yield failed(
                worker.resource,
                worker.name,
                f"keeps its KV cache in {found} on {gpu.name} ({gpu.architecture_family}, {landing.source}); "
                "NVIDIA tests gpt-oss with it on Blackwell alone",
            )


RULE = Rule(
    id="fp8-kv-cache-tested",
    title="TensorRT-LLM keeps gpt-oss's KV cache in 8 bits only on Blackwell",
    severity=Severity.ADVISORY,
    reason=(
        "Every accuracy test of gpt-oss with an fp8 cache is skipped before Blackwell. It is not shown to "
        "fail there, and nobody vouches for its answers."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tests/integration/defs/accuracy/test_llm_api_pytorch.py at 000b1b9 (TestGPTOSS)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="On Hopper set kv_cache_config.dtype to auto, or measure the quality of its answers first.",
    check=_check,
)
