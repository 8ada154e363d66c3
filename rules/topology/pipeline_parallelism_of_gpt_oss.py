"""TensorRT-LLM runs gpt-oss without pipeline parallelism."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engine_release import TENSORRT_LLM_LINES, as_read
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.models import names_a_model, read_gpt_oss
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    def check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
        return as_read(worker, _check_worker(worker, settings), TENSORRT_LLM_LINES)

    return check_tensorrt_llm(graph, check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    pipeline = settings.count("pipeline_parallel_size", default=1)
    if pipeline.value == 1:
        return
    model = read_gpt_oss(worker)
    if model is None:
        if names_a_model(worker):
            return
        raise Undecided(
            f"pipeline parallelism is {pipeline.value} ({pipeline.source}), and no model is seen in its "
            "command"
        )
    yield failed(
        worker.resource,
        worker.name,
        f"pipeline parallelism is {pipeline.value} ({pipeline.source}); for {model.name} it must be 1",
    )


RULE = Rule(
    id="pipeline-parallelism-of-gpt-oss",
    title="TensorRT-LLM runs gpt-oss without pipeline parallelism",
    severity=Severity.MANDATORY,
    reason="The model's own code asserts a pipeline parallelism of 1, so the worker ends at start.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/_torch/models/modeling_gpt_oss.py at 050b6cb",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set pipeline_parallel_size to 1 and spread the model by tensor_parallel_size.",
    check=_check,
)
