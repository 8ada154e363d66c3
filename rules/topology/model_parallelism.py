"""Whether a model can be spread over ranks as its engine is told to."""

from collections.abc import Iterator, Sequence

from engines import ModelLimits
from resource_graph import ResourceGraph
from rules.model import Observation, Severity
from rules.reading.engines.command_settings import CommandSettings, is_sglang, is_vllm, read_sglang, read_vllm
from rules.reading.engines.engine_yaml import EngineFileProblem
from rules.reading.engines.models import names_a_model, read_gpt_oss, read_model_limits
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings, is_tensorrt_llm, read_tensorrt_llm
from rules.reading.pods.workers import Worker
from rules.reading.releases import TENSORRT_LLM_LINES, as_read
from rules.reading.shapes import Count, Undecided
from rules.rule import Said, graph_rule, rule
from rules.subjects import MODEL_WORKERS, TENSORRT_LLM_WORKERS, WORKERS, ModelWorker, TensorRtLlmWorker

_TENSOR = "--tensor-parallel-size"
_DATA = "--data-parallel-size"
_EXPERTS = "--expert-parallel-size"
_DATA_PARALLEL_ATTENTION = "--enable-dp-attention"


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "Experts are spread over the tensor-parallel ranks: where moe_tensor x moe_expert is not the tensor "
        "parallelism the engine ends at start with a ValueError, and each rank needs the same number of "
        "experts. SGLang asserts the same of --expert-parallel-size, and of its attention's data "
        "parallelism."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/mapping.py at 05ebebb; sglang 0.5.14 "
        "sglang/srt/layers/moe/fused_moe_triton/layer.py and sglang/srt/server_args.py; experts: "
        "config.json of the model"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "SGLang 0.5.14"),
    fix=(
        "Set moe_expert_parallel_size (--expert-parallel-size, --ep_size) to a divisor of both, such as the "
        "tensor parallelism itself or 1, and leave moe_tensor_parallel_size out."
    ),
)
def expert_parallelism_divides(graph: ResourceGraph) -> Iterator[Observation]:
    """Expert parallelism divides tensor parallelism and the number of experts."""
    yield from TENSORRT_LLM_WORKERS.judge(graph, _experts_of_tensorrt_llm)
    yield from WORKERS.judge(graph, _experts_of_sglang)


def _experts_of_tensorrt_llm(graph: ResourceGraph, each: TensorRtLlmWorker) -> Sequence[str]:
    settings = each.settings
    experts = _size(settings, "moe_expert_parallel_size")
    tensor = _size(settings, "moe_tensor_parallel_size")
    if experts is None and tensor is None:
        return ()
    if _size(settings, "moe_cluster_parallel_size") is not None:
        raise Undecided(
            "moe_cluster_parallel_size is set, with which expert parallelism is not followed here"
        )
    whole = settings.count("tensor_parallel_size", default=1)
    return (
        *_against_tensor_parallelism(experts, tensor, whole),
        *_against_experts(graph, each.worker, experts, "moe_expert_parallel_size"),
    )


def _size(settings: TensorRtLlmSettings, key: str) -> Count | None:
    setting = settings.at(key)
    # The engine takes -1 and an absent value for "work it out".
    if setting is None or str(setting.value) == "-1":
        return None
    count = settings.count(key, default=1)
    if count.value == 0:
        raise Undecided(f"{key} in {count.source} is 0, which is no number of ranks")
    return count


def _against_tensor_parallelism(experts: Count | None, tensor: Count | None, whole: Count) -> Iterator[str]:
    tensor_parallelism = f"tensor parallelism {whole.value} ({whole.source})"
    if experts is not None and tensor is not None:
        product = experts.value * tensor.value
        if product != whole.value:
            yield (
                f"moe_tensor_parallel_size {tensor.value} ({tensor.source}) x moe_expert_parallel_size "
                f"{experts.value} ({experts.source}) is {product}, not {tensor_parallelism}"
            )
        return
    name, given = ("expert", experts) if experts is not None else ("tensor", tensor)
    if given is not None and whole.value % given.value:
        yield (
            f"moe_{name}_parallel_size {given.value} ({given.source}) does not divide {tensor_parallelism}: "
            "its ranks are the same GPUs"
        )


def _experts_of_sglang(graph: ResourceGraph, worker: Worker) -> Sequence[str]:
    if not is_sglang(worker):
        return ()
    try:
        settings = read_sglang(graph, worker)
    except EngineFileProblem:
        # Engine-file rules report the failure.
        return ()
    ranks = tuple(_shared_ranks_of_sglang(settings))
    if settings.count("--ep-num-redundant-experts", 0).value:
        return ranks
    return (*ranks, *_against_experts(graph, worker, settings.count(_EXPERTS, 1), _EXPERTS))


def _shared_ranks_of_sglang(settings: CommandSettings) -> Iterator[str]:
    """Expert parallelism, and data parallelism of attention, share the tensor-parallel ranks."""
    ranks = settings.count(_TENSOR, 1)
    shared = {_EXPERTS: settings.count(_EXPERTS, 1)}
    if settings.switch(_DATA_PARALLEL_ATTENTION):
        shared[_DATA] = settings.count(_DATA, 1)
    for option, count in shared.items():
        if count.value and ranks.value % count.value:
            yield (
                f"{option} {count.value} ({count.source}) does not divide tensor parallelism {ranks.value} "
                f"({ranks.source}): its ranks are the same GPUs"
            )


def _against_experts(
    graph: ResourceGraph, worker: Worker, parallelism: Count | None, name: str
) -> Iterator[str]:
    model = read_model_limits(graph, worker)
    if model is None or parallelism is None or not parallelism.value or not model.experts:
        return
    if model.experts % parallelism.value:
        yield (
            f"{name} {parallelism.value} ({parallelism.source}) does not divide the "
            f"{model.experts} experts of {model.name}"
        )


@rule(
    MODEL_WORKERS,
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
)
def tensor_parallelism_divides_heads(graph: ResourceGraph, each: ModelWorker) -> Iterator[str]:
    """Tensor parallelism divides the model's attention heads."""
    model, ranks = each.model, _ranks_of_attention(graph, each.worker)
    if ranks is None or ranks.value < 1:
        return
    if model.attention_heads % ranks.value:
        yield (
            f"tensor parallelism {ranks.value} ({ranks.source}) does not divide the {model.attention_heads} "
            f"attention heads of {model.name}"
        )
    elif not is_tensorrt_llm(each.worker) and not _shares_kv_heads(model, ranks.value):
        yield (
            f"tensor parallelism {ranks.value} ({ranks.source}) neither divides the {model.kv_heads} KV "
            f"heads of {model.name} nor is a multiple of them"
        )


def _ranks_of_attention(graph: ResourceGraph, worker: Worker) -> Count | None:
    """Number of GPUs over which one layer's heads are spread; None where each GPU has all of them."""
    if is_tensorrt_llm(worker):
        settings = read_tensorrt_llm(graph, worker)
        if settings.switch("enable_attention_dp"):
            return None
        return settings.count("tensor_parallel_size", default=1)
    if is_vllm(worker):
        return read_vllm(graph, worker).count(_TENSOR, 1)
    return _ranks_of_sglang(read_sglang(graph, worker)) if is_sglang(worker) else None


def _ranks_of_sglang(settings: CommandSettings) -> Count:
    ranks = settings.count(_TENSOR, 1)
    if not settings.switch(_DATA_PARALLEL_ATTENTION):
        return ranks
    groups = settings.count(_DATA, 1).value
    return Count(max(1, ranks.value // max(1, groups)), f"{ranks.source}, shared by {groups} for attention")


def _shares_kv_heads(model: ModelLimits, ranks: int) -> bool:
    if model.kv_heads is None:
        return True
    return model.kv_heads % ranks == 0 if model.kv_heads >= ranks else ranks % model.kv_heads == 0


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.MANDATORY,
    reason="The model's own code asserts a pipeline parallelism of 1, so the worker ends at start.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/_torch/models/modeling_gpt_oss.py at 050b6cb",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set pipeline_parallel_size to 1 and spread the model by tensor_parallel_size.",
)
def pipeline_parallelism_of_gpt_oss(_: ResourceGraph, each: TensorRtLlmWorker) -> Iterator[Said]:
    """TensorRT-LLM runs gpt-oss without pipeline parallelism."""
    return as_read(each.worker, _pipeline_of_gpt_oss(each.worker, each.settings), TENSORRT_LLM_LINES)


def _pipeline_of_gpt_oss(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[str]:
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
    yield f"pipeline parallelism is {pipeline.value} ({pipeline.source}); for {model.name} it must be 1"
