"""No setting is one that TensorRT-LLM has removed."""

from collections.abc import Iterator

from hardware import REMOVED_ENGINE_KEYS
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engine_release import TENSORRT_LLM_LINES, as_read
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    def check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
        return as_read(worker, _check_worker(worker, settings), TENSORRT_LLM_LINES)

    return check_tensorrt_llm(graph, check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    for source, written in settings.written():
        for key in written:
            if key in REMOVED_ENGINE_KEYS:
                yield failed(
                    worker.resource,
                    worker.name,
                    f"{key} in {source} is no setting of TensorRT-LLM any more: {REMOVED_ENGINE_KEYS[key]}",
                )


RULE = Rule(
    id="removed-engine-keys",
    title="No setting is one that the engine has removed",
    severity=Severity.MANDATORY,
    reason="The engine forbids keys that it does not know, so the worker ends at start.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py around release 1.3.0rc14",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Write what replaced it, as the finding says.",
    check=_check,
)
