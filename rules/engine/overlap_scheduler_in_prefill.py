"""A prefill worker runs without the overlap scheduler."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.pods.workers import Worker

_SETTING = "disable_overlap_scheduler"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    if read_role(worker) != "prefill" or settings.switch(_SETTING):
        return
    source = settings.setting(_SETTING, default=False).source
    yield failed(
        worker.resource, worker.name, f"prefills with the overlap scheduler on: {_SETTING} false ({source})"
    )


RULE = Rule(
    id="overlap-scheduler-in-prefill",
    title="A prefill worker runs without the overlap scheduler",
    severity=Severity.ADVISORY,
    reason=(
        "Engines from before January 2026 end at start with it; later ones start, and NVIDIA's own "
        "configurations still turn it off for prefill."
    ),
    source="NVIDIA/TensorRT-LLM#10755; ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set disable_overlap_scheduler: true in the prefill worker's engine file.",
    check=_check,
)
