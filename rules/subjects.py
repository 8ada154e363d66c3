"""What rules are about. Each finds its own in a graph, names them, and leaves the unreadable undecided."""

from collections.abc import Callable, Iterable
from itertools import chain

from engines.effective import EngineFileProblem
from resource_graph import Resource, ResourceGraph
from rules.reading.benchmarks import Benchmark, read_benchmarks
from rules.reading.disaggregation import Disaggregated, KvHop, read_disaggregated, read_hops
from rules.reading.engines.settings import is_tensorrt_llm
from rules.reading.gpu_pods import GpuPods, read_gpu_pods
from rules.reading.model_users import Kind, ModelUser, read_model_users
from rules.reading.model_volumes import ModelVolume, read_model_volumes
from rules.reading.pods.pods import PodTemplate, Unreadable, read_pods, readable
from rules.reading.pods.workers import Frontend, Router, Worker, read_frontends, read_routers, read_workers
from rules.reading.references import DynamoGraph, read_dynamo_graphs
from rules.rule import Subjects

Started = Worker | Frontend
"""A container that starts engines or a frontend."""
POD_TEMPLATES: Subjects[PodTemplate] = Subjects(read_pods)
"""Every template of pods: of graphs' services and components, and of workloads."""
GPU_PODS: Subjects[GpuPods] = Subjects(read_gpu_pods, lambda each: (each.template.resource, each.name))
"""Templates whose pods ask for GPUs."""
WORKERS: Subjects[Worker] = Subjects(read_workers)
"""Containers that ask for GPUs, with the engines that they start."""
READABLE_PODS: Subjects[PodTemplate] = Subjects(lambda graph: readable(read_pods(graph)))
READABLE_WORKERS: Subjects[Worker] = Subjects(
    lambda graph: readable(read_workers(graph)), passed_over=(EngineFileProblem,)
)
"""For a rule that looks at pods and workers, and tells but once which cannot be read."""
CONFIGURED_WORKERS: Subjects[Worker] = Subjects(read_workers, passed_over=(EngineFileProblem,))
"""Workers, for rules that read engine files; a file that cannot serve fails where such files are judged."""
TENSORRT_LLM_WORKERS: Subjects[Worker] = Subjects(
    lambda graph: (
        each for each in read_workers(graph) if isinstance(each, Unreadable) or is_tensorrt_llm(each)
    ),
    passed_over=(EngineFileProblem,),
)
STARTED: Subjects[Started] = Subjects(lambda graph: (*read_workers(graph), *read_frontends(graph)))
"""Every container that starts an engine or a frontend."""
DISAGGREGATED: Subjects[Disaggregated] = Subjects(
    read_disaggregated, lambda each: (each.resource, each.subject), passed_over=(EngineFileProblem,)
)
"""Groups of prefill and decode workers that find each other."""
DISAGGREGATED_GRAPHS: Subjects[Disaggregated] = Subjects(
    read_disaggregated, lambda each: (each.resource, each.name)
)
"""Groups of prefill and decode workers, called by their graph's name."""
ROUTERS: Subjects[Router] = Subjects(
    read_routers, lambda each: (each.frontend.resource, each.frontend.name), passed_over=(EngineFileProblem,)
)
"""Frontends of Dynamo graphs, with the workers that they choose from."""
KV_HOPS: Subjects[KvHop] = Subjects(read_hops, lambda each: (each.group.resource, each.group.name))
"""Groups whose KV cache travels from pod to pod."""
DYNAMO_GRAPHS: Subjects[DynamoGraph] = Subjects(
    read_dynamo_graphs, lambda each: (each.resource, each.resource.name)
)
BENCHMARKS: Subjects[Benchmark] = Subjects(read_benchmarks)
MODEL_VOLUMES: Subjects[ModelVolume] = Subjects(read_model_volumes)
"""Claims and directories of nodes from which a model is used."""


def model_users(*kinds: Kind) -> Subjects[ModelUser]:
    """Containers of these kinds that fetch or load a model."""
    return Subjects(lambda graph: (user for user in read_model_users(graph) if user.kind in kinds))


def kubernetes_objects(kind: str) -> Subjects[Resource]:
    """Objects of a Kubernetes kind."""
    return resources(lambda graph: graph.kubernetes_objects(kind))


def resources_of_type(*type_tokens: str) -> Subjects[Resource]:
    """Resources of these types of Pulumi's, one type after the other."""
    return resources(lambda graph: chain.from_iterable(map(graph.of_type, type_tokens)))


def resources(find: Callable[[ResourceGraph], Iterable[Resource]]) -> Subjects[Resource]:
    """Resources that are found by a function."""
    return Subjects(find, lambda each: (each, each.name))
