"""No worker admits longer sequences than its model was made for."""

from collections.abc import Iterator

from hardware import ModelLimits
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.engines.command_settings import CommandSettings
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.models import check_models
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import Count, is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.pods.workers import Worker

_VLLM_FLAG = "--max-model-len"
_SGLANG_FLAG = "--context-length"
_STRETCHED_BY = ("--hf-overrides", "--rope-scaling", "--json-model-override-args")
"""Options that give the model other positions than its config.json."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_models(graph, lambda worker, model: _check_worker(graph, worker, model))


def _check_worker(graph: ResourceGraph, worker: Worker, model: ModelLimits) -> Iterator[Observation]:
    length = _length(graph, worker)
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
        return _given(read_vllm(graph, worker), _VLLM_FLAG)
    if is_sglang(worker):
        return _given(read_sglang(graph, worker), _SGLANG_FLAG)
    return None


def _given(settings: CommandSettings, flag: str) -> Count | None:
    if any(settings.at(option) is not None for option in _STRETCHED_BY):
        return None
    given = settings.at(flag)
    # vLLM also takes 128k and auto, neither of which says too much.
    return settings.count(flag, 0) if given is not None and str(given.value).isdigit() else None


RULE = Rule(
    id="sequence-length-within-model",
    title="No worker admits longer sequences than its model was made for",
    severity=Severity.ADVISORY,
    reason=(
        "Beyond that length the model's positions mean nothing, so answers turn into noise; vLLM and SGLang "
        "refuse it unless a variable of theirs allows it."
    ),
    source="max_position_embeddings in config.json of the model; vllm 0.20.1 vllm/config/model.py",
    lines=EVERY_RELEASE,
    fix="Lower max_seq_len, or --max-model-len, or --context-length, to what the finding names.",
    check=_check,
)
