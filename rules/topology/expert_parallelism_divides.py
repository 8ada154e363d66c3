"""Expert parallelism divides tensor parallelism and the number of experts."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.tensorrt_llm import Count, TensorRtLlmSettings
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    experts = _size(settings, "moe_expert_parallel_size")
    tensor = _size(settings, "moe_tensor_parallel_size")
    if experts is None and tensor is None:
        return
    if _size(settings, "moe_cluster_parallel_size") is not None:
        raise Undecided(
            "moe_cluster_parallel_size is set, with which expert parallelism is not followed here"
        )
    whole = settings.count("tensor_parallel_size", default=1)
    for message in (_against_tensor_parallelism(experts, tensor, whole), _against_experts(worker, experts)):
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


def _against_experts(worker: Worker, parallelism: Count | None) -> str | None:
    model = read_gpt_oss(worker)
    if model is None or parallelism is None or model.experts % parallelism.value == 0:
        return None
    return (
        f"moe_expert_parallel_size {parallelism.value} ({parallelism.source}) does not divide the "
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
        "experts."
    ),
    source="NVIDIA/TensorRT-LLM tensorrt_llm/mapping.py at 05ebebb; experts: config.json of the model",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Set moe_expert_parallel_size (--expert-parallel-size, --ep_size) to a divisor of both, such as the "
        "tensor parallelism itself or 1, and leave moe_tensor_parallel_size out."
    ),
    check=_check,
)
