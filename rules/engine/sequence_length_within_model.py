"""No worker admits longer sequences than its model was made for."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.tensorrt_llm import Count, is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.workers import Worker, check_workers

_VLLM_FLAG = "--max-model-len"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    model = read_gpt_oss(worker)
    if model is None:
        return
    try:
        length = _length(graph, worker)
    except EngineFileProblem:
        return
    if length is not None and length.value > model.max_positions:
        yield failed(
            worker.resource,
            worker.name,
            f"admits sequences of {length.value} tokens ({length.source}), but {model.name} was made for "
            f"{model.max_positions}",
        )


def _length(graph: ResourceGraph, worker: Worker) -> Count | None:
    if is_tensorrt_llm(worker):
        settings = engine_settings(graph, worker)
        return None if settings.at("max_seq_len") is None else settings.count("max_seq_len", default=0)
    if is_vllm(worker):
        vllm = read_vllm(graph, worker)
        given = vllm.at(_VLLM_FLAG)
        # vLLM also takes 128k and auto, neither of which says too much.
        return vllm.count(_VLLM_FLAG, 0) if given is not None and str(given.value).isdigit() else None
    return None


RULE = Rule(
    id="sequence-length-within-model",
    title="No worker admits longer sequences than its model was made for",
    severity=Severity.ADVISORY,
    reason="Beyond that length the model's positions mean nothing, so answers turn into noise.",
    source="max_position_embeddings in config.json of openai/gpt-oss-120b and openai/gpt-oss-20b: 131072",
    lines=EVERY_RELEASE,
    fix="Lower max_seq_len, or --max-model-len, to 131072 or less.",
    check=_check,
)
