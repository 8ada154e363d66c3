"""Expert parallelism divides tensor parallelism and the number of experts."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.command_settings import CommandSettings
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.models import read_model_limits
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import Count, TensorRtLlmSettings
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided

_OF_TENSORRT_LLM = "moe_expert_parallel_size"
_OF_SGLANG = "--expert-parallel-size"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    yield from check_tensorrt_llm(
        graph, lambda worker, settings: _check_tensorrt_llm(graph, worker, settings)
    )
    yield from check_workers(graph, lambda worker: _check_sglang(graph, worker))


def _check_tensorrt_llm(
    graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings
) -> Iterator[Observation]:
    experts = _size(settings, "moe_expert_parallel_size")
    tensor = _size(settings, "moe_tensor_parallel_size")
    if experts is None and tensor is None:
        return
    if _size(settings, "moe_cluster_parallel_size") is not None:
        raise Undecided(
            "moe_cluster_parallel_size is set, with which expert parallelism is not followed here"
        )
    whole = settings.count("tensor_parallel_size", default=1)
    for message in (
        _against_tensor_parallelism(experts, tensor, whole),
        _against_experts(graph, worker, experts, _OF_TENSORRT_LLM),
    ):
        if message is not None:
            yield failed(worker.resource, worker.name, message)


def _against_tensor_parallelism(experts: Count | None, tensor: Count | None, whole: Count) -> str | None:
    tensor_parallelism = f"tensor parallelism {whole.value} ({whole.source})"
    if experts is not None and tensor is not None:
        product = experts.value * tensor.value
        if product == whole.value:
            return None
        return (
            f"moe_tensor_parallel_size {tensor.value} ({tensor.source}) x moe_expert_parallel_size "
            f"{experts.value} ({experts.source}) is {product}, not {tensor_parallelism}"
        )
    name, given = ("expert", experts) if experts is not None else ("tensor", tensor)
    if given is None or whole.value % given.value == 0:
        return None
    return (
        f"moe_{name}_parallel_size {given.value} ({given.source}) does not divide {tensor_parallelism}: its "
        "ranks are the same GPUs"
    )


def _check_sglang(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    if not is_sglang(worker):
        return
    try:
        settings = read_sglang(graph, worker)
    except EngineFileProblem:
        # It fails where such files are judged.
        return
    for message in (*_ranks_of_sglang(settings), _experts_of_sglang(graph, worker, settings)):
        if message is not None:
            yield failed(worker.resource, worker.name, message)


def _ranks_of_sglang(settings: CommandSettings) -> Iterator[str]:
    """Expert parallelism, and data parallelism of attention, share the tensor-parallel ranks."""
    ranks = settings.count("--tensor-parallel-size", 1)
    shared = {_OF_SGLANG: settings.count(_OF_SGLANG, 1)}
    if settings.switch("--enable-dp-attention"):
        shared["--data-parallel-size"] = settings.count("--data-parallel-size", 1)
    for option, count in shared.items():
        if count.value and ranks.value % count.value:
            yield (
                f"{option} {count.value} ({count.source}) does not divide tensor parallelism {ranks.value} "
                f"({ranks.source}): its ranks are the same GPUs"
            )


def _experts_of_sglang(graph: ResourceGraph, worker: Worker, settings: CommandSettings) -> str | None:
    redundant = settings.count("--ep-num-redundant-experts", 0)
    if redundant.value:
        return None
    return _against_experts(graph, worker, settings.count(_OF_SGLANG, 1), _OF_SGLANG)


def _against_experts(
    graph: ResourceGraph, worker: Worker, parallelism: Count | None, name: str
) -> str | None:
    model = read_model_limits(graph, worker)
    if model is None or parallelism is None or not parallelism.value or not model.experts:
        return None
    if model.experts % parallelism.value == 0:
        return None
    return (
        f"{name} {parallelism.value} ({parallelism.source}) does not divide the "
        f"{model.experts} experts of {model.name}"
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


RULE = Rule(
    id="expert-parallelism-divides",
    title="Expert parallelism divides tensor parallelism and the number of experts",
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
    check=_check,
)
