"""Tensor parallelism divides the attention heads of the model."""

from collections.abc import Iterator

from hardware import ModelLimits
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.command_settings import CommandSettings
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.models import check_models
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import Count, is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.pods.workers import Worker

_TENSOR = "--tensor-parallel-size"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_models(graph, lambda worker, model: _check_worker(graph, worker, model))


def _check_worker(graph: ResourceGraph, worker: Worker, model: ModelLimits) -> Iterator[Observation]:
    ranks = _ranks_of_attention(graph, worker)
    if ranks is None or ranks.value < 1:
        return
    if model.attention_heads % ranks.value:
        yield failed(
            worker.resource,
            worker.name,
            f"tensor parallelism {ranks.value} ({ranks.source}) does not divide the {model.attention_heads} "
            f"attention heads of {model.name}",
        )
    elif not is_tensorrt_llm(worker) and not _shares_kv_heads(model, ranks.value):
        yield failed(
            worker.resource,
            worker.name,
            f"tensor parallelism {ranks.value} ({ranks.source}) neither divides the {model.kv_heads} KV "
            f"heads of {model.name} nor is a multiple of them",
        )


def _ranks_of_attention(graph: ResourceGraph, worker: Worker) -> Count | None:
    """Over how many GPUs one layer's heads are spread; None where each GPU has all of them."""
    if is_tensorrt_llm(worker):
        settings = engine_settings(graph, worker)
        if settings.switch("enable_attention_dp"):
            return None
        return settings.count("tensor_parallel_size", default=1)
    if is_vllm(worker):
        return read_vllm(graph, worker).count(_TENSOR, 1)
    return _ranks_of_sglang(read_sglang(graph, worker)) if is_sglang(worker) else None


def _ranks_of_sglang(settings: CommandSettings) -> Count:
    ranks = settings.count(_TENSOR, 1)
    if not settings.switch("--enable-dp-attention"):
        return ranks
    groups = settings.count("--data-parallel-size", 1).value
    return Count(max(1, ranks.value // max(1, groups)), f"{ranks.source}, shared by {groups} for attention")


def _shares_kv_heads(model: ModelLimits, ranks: int) -> bool:
    if model.kv_heads is None:
        return True
    return model.kv_heads % ranks == 0 if model.kv_heads >= ranks else ranks % model.kv_heads == 0


RULE = Rule(
    id="tensor-parallelism-divides-heads",
    title="Tensor parallelism divides the model's attention heads",
    severity=Severity.MANDATORY,
    reason=(
        "Each rank takes the same number of heads: vLLM ends with a ValueError, TensorRT-LLM and SGLang "
        "with an assertion. vLLM and SGLang give a rank several KV heads, or several ranks a copy of one."
    ),
    source=(
        "vllm 0.20.1 vllm/config/model.py (verify_with_parallel_config); NVIDIA/TensorRT-LLM "
        "tensorrt_llm/_torch/modules/attention.py; sglang 0.5.14 sglang/srt/models/qwen2.py and llama.py; "
        "heads: config.json of the model"
    ),
    lines=("vLLM 0.20.1", "TensorRT-LLM 1.3.0rc14", "SGLang 0.5.14"),
    fix="Choose a tensor parallelism that divides the heads, most often 1, 2, 4 or 8.",
    check=_check,
)
