"""Whether pods ask for the GPUs that their engines use, and a model can be spread as they are told."""

import math
from collections.abc import Iterator, Mapping

from engines.command_line import Count
from engines.effective import Effective
from engines.tensorrt_llm.keys import TENSORRT_LLM_LINES
from hardware import GPU_RESOURCE
from resource_graph import ResourceGraph
from rules.reading.devices import misspelt_gpus, other_accelerators, read_device_claims
from rules.reading.engines.models import read_gpt_oss, read_model_limits
from rules.reading.engines.settings import counts_below_one, is_tensorrt_llm, is_vllm, read_settings
from rules.reading.placements import read_candidates
from rules.reading.pods.containers import OWN_SHARED_MEMORY, all_containers, shared_memory
from rules.reading.pods.pods import GROUP_KIND, PodTemplate, Unreadable, readable
from rules.reading.pods.workers import Worker, workers_by_resource
from rules.reading.releases import as_read
from rules.reading.shapes import Undecided, known, quantity
from rules.rule import (
    CONFIGURED_WORKERS,
    EVERY_RELEASE,
    READABLE_PODS,
    WORKERS,
    Advice,
    Observation,
    Said,
    Severity,
    each_of,
    failed,
    rule,
)

TENSOR = "tensor parallelism"


@rule(
    READABLE_PODS,
    severity=Severity.MANDATORY,
    reason=(
        "Kubernetes takes any name of a resource, and looks for a node that has it: the pod stays Pending "
        "for ever, with Insufficient nvidia.com/gpus. NVIDIA's device plugin has one name for GPUs."
    ),
    source=(
        "NVIDIA/k8s-device-plugin (DisableResourceNamingInConfig: no other name but with .shared); "
        "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"
    ),
    lines=EVERY_RELEASE,
    fix="Write nvidia.com/gpu, in small letters and without an s.",
)
def gpu_resource_is_offered(_: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    """Pod asks for GPUs by a name that no node offers."""
    for name, container in all_containers(template):
        subject = name if template.shape == "workload" else template.name
        for written in misspelt_gpus(template, container):
            yield failed(
                template.resource,
                subject,
                f"asks for {written}, which no node offers: the pod stays Pending; GPUs are {GPU_RESOURCE}",
            )


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "With fewer GPUs than the engine's own product of parallelisms it ends at start; with more, the rest "
        "is paid for and idle. TensorRT-LLM multiplies tensor, pipeline and context parallelism, where "
        "attention data parallelism and expert parallelism add none; vLLM multiplies tensor, pipeline and "
        "data parallelism."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/mapping.py at 05ebebb; order of settings: ai-dynamo 1.2.1 "
        "llm_worker.py; vllm 0.20.1 vllm/config/parallel.py; CUDA_VISIBLE_DEVICES: CUDA C++ "
        "Programming Guide"
    ),
    lines=("Dynamo 1.2", "TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix=(
        "Set the worker's GPUs to the product, or tensor_parallel_size (vLLM: --tensor-parallel-size) to the "
        "GPUs."
    ),
)
def gpus_match_parallelism(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """GPUs differ from the parallelism."""
    settings = read_settings(graph, worker)
    # The engine refuses them, which another rule says.
    if known(counts_below_one, settings):
        return
    factors = read_parallelism(graph, worker)
    used = math.prod(count.value for count in factors.values())
    nodes = _nodes(graph, worker)
    visible = len(worker.visible_gpus) * nodes
    if worker.shown_gpus and worker.pods_per_worker == 1 and visible < used:
        has = f"its container has {worker.container_gpus}, which count from 0"
        yield f"CUDA_VISIBLE_DEVICES shows its engine {visible} of the {used} GPUs that it uses; {has}"
    others = _gpus_of_others(graph, worker)
    pods = max(worker.pods_per_worker, nodes)
    requested = worker.gpus_per_pod + others * (pods - 1)
    # Further ranks may join the engine later, for whom the GPUs are kept.
    if used == requested or (used < requested and settings.switch("enable_elastic_ep")):
        return
    if settings.switch("omni"):
        raise Undecided("starts vLLM-Omni, whose stages share the GPUs as a file of the image says")
    backend = settings.setting("distributed_executor_backend", default="mp").value
    if backend == "ray" and worker.pods_per_worker == 1:
        raise Undecided("its ranks run on a Ray cluster, and nothing that was read says of which pods")
    product = " x ".join(f"{kind} {count}" for kind, count in factors.items())
    if not worker.gpus_per_pod:
        _refuse_given(graph, worker)
        # What a program registers, or a state holds, is past every overlay.
        if worker.resource.origin is not None and not _has_resources(worker):
            yield Advice(f"has no resources, so no GPU but by an overlay: its engine uses {used}: {product}")
            return
    if worker.template.shape == "workload" and "image" not in worker.container:
        raise Undecided("its container names no image, as in a patch, whose base may have the rest")
    asked = f"{requested} GPU{'s' if requested != 1 else ''}"
    if pods > 1:
        each = worker.gpus_per_pod if others == worker.gpus_per_pod else f"{worker.gpus_per_pod} and {others}"
        asked += f" ({pods} pods of {each})"
    yield f"asks for {asked}, but its engine uses {used}: {product}"


def _nodes(graph: ResourceGraph, worker: Worker) -> int:
    """Nodes of the engine whose pods are judged alone; those of others are counted beside their template."""
    settings = read_settings(graph, worker)
    return settings.count("nnodes", default=1).value if worker.pods_per_worker == 1 else 1


def _gpus_of_others(graph: ResourceGraph, worker: Worker) -> int:
    """GPUs of each further pod of its engine: a LeaderWorkerSet describes them apart from its leader."""
    is_leader = worker.resource.kind == GROUP_KIND and worker.template.name == "leader"
    if not is_leader or worker.pods_per_worker == 1 or not _has_resources(worker):
        return worker.gpus_per_pod
    every = workers_by_resource(graph)[worker.resource.urn]
    found = sum(each.gpus_per_pod for each in readable(every) if each.template is not worker.template)
    if not found or any(isinstance(each, Unreadable) for each in every):
        raise Undecided("the pods beside its leader cannot be read, or ask for no GPU by number")
    return found


def _has_resources(worker: Worker) -> bool:
    return any(each.get("resources") for each in (worker.container, worker.template.described_by))


def read_parallelism(graph: ResourceGraph, worker: Worker) -> Mapping[str, Count]:
    """All factors of the worker's engine, tensor parallelism first.

    Raises:
        EngineFileProblem: its engine file cannot be what the engine needs.
    """
    settings = read_settings(graph, worker)
    kinds = ("tensor", "pipeline", "data" if settings.is_vllm else "context")
    names = {f"{kind} parallelism": f"{kind}_parallel_size" for kind in kinds}
    # A single pod has the local ranks; those of other nodes are other pods' own.
    is_alone = settings.is_vllm and max(worker.pods_per_worker, _nodes(graph, worker)) == 1
    if is_alone and settings.at("data_parallel_size_local") is not None:
        names["data parallelism"] = "data_parallel_size_local"
    return {kind: settings.count(name, default=1) for kind, name in names.items()}


def _refuse_given(graph: ResourceGraph, worker: Worker) -> None:
    claims = read_device_claims(graph, worker.template)
    brought = [f"claim {each.name}" for each in claims if each.used and not each.is_channel]
    others = ", ".join(other_accelerators(worker.template, worker.container)) or next(iter(brought), None)
    if others:
        raise Undecided(f"asks for no GPU by number; its {others} may bring some")


@rule(
    CONFIGURED_WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "Each rank takes the same number of heads and of experts, and experts are spread over the "
        "tensor-parallel ranks: otherwise vLLM ends with a ValueError, TensorRT-LLM with that or an "
        "assertion. gpt-oss' own code asserts a pipeline parallelism of 1."
    ),
    source=(
        "vllm 0.20.1 vllm/config/model.py (verify_with_parallel_config); NVIDIA/TensorRT-LLM tensorrt_llm/"
        "_torch/modules/attention.py, tensorrt_llm/mapping.py at 05ebebb, tensorrt_llm/_torch/models/"
        "modeling_gpt_oss.py at 050b6cb; heads and experts: config.json of the model"
    ),
    lines=("vLLM 0.20.1", "TensorRT-LLM 1.3.0rc14"),
    fix=(
        "Choose a tensor parallelism that divides the heads, most often 1, 2, 4 or 8; "
        "moe_expert_parallel_size (--ep_size) of the tensor parallelism itself or 1, without "
        "moe_tensor_parallel_size; and for gpt-oss a pipeline_parallel_size of 1."
    ),
)
def parallelism_divides_model(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """Parallelism does not divide the model."""
    if not is_tensorrt_llm(worker):
        return _heads(graph, worker)
    return each_of(graph, worker, _heads, _experts, _pipeline)


def _heads(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    model = read_model_limits(graph, worker) if worker.commands else None
    # Under attention data parallelism each GPU has all heads of a layer.
    if model is None or read_settings(graph, worker).switch("enable_attention_dp"):
        return
    ranks = read_settings(graph, worker).count("tensor_parallel_size", default=1)
    if ranks.value > 0 and model.attention_heads % ranks.value:
        yield f"{TENSOR} {ranks} does not divide the {model.attention_heads} attention heads of {model.name}"


def _experts(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    settings = read_settings(graph, worker)
    sizes = {kind: _size(settings, f"moe_{kind}_parallel_size") for kind in ("tensor", "expert")}
    given = {kind: size for kind, size in sizes.items() if size is not None}
    if not given or _size(settings, "moe_cluster_parallel_size") is not None:
        return
    whole = settings.count("tensor_parallel_size", default=1)
    product = math.prod(size.value for size in given.values())
    words = " x ".join(f"moe_{kind}_parallel_size {size}" for kind, size in given.items())
    ranks = f"{TENSOR} {whole}"
    if len(given) > 1 and product != whole.value:
        yield f"{words} is {product}, not {ranks}"
    elif whole.value % product:
        yield f"{words} does not divide {ranks}: its ranks are the same GPUs"
    model, expert = read_model_limits(graph, worker), given.get("expert")
    if model is not None and model.experts and expert is not None and model.experts % expert.value:
        of_model = f"the {model.experts} experts of {model.name}"
        yield f"moe_expert_parallel_size {expert} does not divide {of_model}"


def _size(settings: Effective, key: str) -> Count | None:
    """A number of ranks; None for an absent value and for -1, with which the engine works it out."""
    setting = settings.at(key)
    count = None if setting is None or str(setting.value) == "-1" else settings.count(key, default=1)
    return count if count is not None and count.value > 0 else None


def _pipeline(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    pipeline = read_settings(graph, worker).count("pipeline_parallel_size", default=1)
    model = read_gpt_oss(worker)
    if pipeline.value > 1 and model is not None:
        said = f"pipeline parallelism is {pipeline}; for {model.name} it must be 1"
        yield from as_read(worker, [said], TENSORRT_LLM_LINES)


@rule(
    CONFIGURED_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Ranks and NCCL write to /dev/shm: in the 64Mi that a container has by itself NCCL ends with No "
        "space left on device, or a rank with a bus error."
    ),
    source="vllm-project/production-stack#276, vllm-project/vllm#1710, NVIDIA/nccl#525",
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix="Mount an emptyDir of medium Memory at /dev/shm, of 1Gi or more.",
)
def ranks_can_share_memory(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Ranks cannot share memory: /dev/shm is too small."""
    if not (is_vllm(worker) or is_tensorrt_llm(worker)) or worker.gpus_per_pod == 1:
        return
    shared = shared_memory(worker.template, worker.container)
    if shared is None or quantity(shared.value, shared.source) > quantity(OWN_SHARED_MEMORY.value, ""):
        return
    # Another rule says which settings cannot be read.
    factors = known(read_parallelism, graph, worker)
    ranks = None if factors is None else factors[TENSOR]
    if ranks is not None and ranks.value > 1:
        yield (
            f"its {ranks.value} ranks ({ranks.source}) exchange through {shared.value} of shared memory "
            f"({shared.source}), which NCCL alone can fill"
        )


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Tensor parallelism exchanges activations twice in every layer. Across the network instead of NVLink "
        "each token waits for it, and more GPUs make the worker slower."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html (NVLink domains of "
        "the instance types)"
    ),
    lines=EVERY_RELEASE,
    fix="Use at most the domain's GPUs for a worker, and more replicas in place of more ranks.",
)
def tensor_parallelism_inside_nvlink_domain(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Tensor parallelism leaves the NVLink domain."""
    if worker.pods_per_worker == 1 or not worker.gpus_per_pod:
        return
    tensor = read_parallelism(graph, worker)[TENSOR]
    # Ranks are numbered by node: tensor parallelism up to a pod's GPUs stays inside it.
    if tensor.value <= worker.gpus_per_pod:
        return
    for placement in read_candidates(graph, worker):
        domain, node = max(placement.nvlink_domains), placement.instance_type
        if tensor.value > domain:
            ends = "its racks" if node.nvlink_crosses_nodes else "the node"
            yield (
                f"{TENSOR} {tensor} spans {worker.pods_per_worker} pods of "
                f"{worker.gpus_per_pod} GPUs, but in pool {placement.name} ({node.name}) NVLink ends at "
                f"{ends} with {domain} GPUs"
            )
