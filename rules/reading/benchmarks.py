"""Benchmarks: containers that run AIPerf or its forerunner GenAI-Perf, and the deployment they measure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engines.command_line import Flags, Word, parse_flags
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.commands.container_commands import arguments_of, mentions, read_script
from rules.reading.pods.pods import (
    GRAPH_KIND,
    PodTemplate,
    Unreadable,
    each_readable,
    pods_near,
    read_pods,
    readable,
)
from rules.reading.pods.reach import selected_pods
from rules.reading.pods.workers import Worker, workers_by_resource, workers_of_pods
from rules.reading.shapes import Undecided, memoized_all

_PROGRAMS = ("aiperf", "genai-perf", "genai_perf")
_MENTIONED = re.compile(r"\b(?:aiperf|genai[-_]perf)\b")
# Names of one option, newest first (aiperf 0.13.0, aiperf/common/config; GenAI-Perf has the middle ones).
INPUT_TOKENS = ("--prompt-input-tokens-mean", "--synthetic-input-tokens-mean", "--isl")
OUTPUT_TOKENS = ("--prompt-output-tokens-mean", "--output-tokens-mean", "--osl")
CONCURRENCY = ("--concurrency",)
MODEL_NAMES = ("--model-names", "--model", "-m")
TOKENIZER = ("--tokenizer",)
_URL = ("--url", "-u")


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """A container that measures."""

    template: PodTemplate
    container: Mapping[str, Value]
    runs: tuple[Flags, ...]
    """The options of each call of the load generator."""

    @property
    def resource(self) -> Resource:
        """The Job or Pod."""
        return self.template.resource


@memoized_all
def read_benchmarks(graph: ResourceGraph) -> Iterator[Benchmark | Unreadable]:
    """All benchmarks, in the order of the graph."""
    for template in readable(read_pods(graph)):
        if template.shape != "workload":
            continue
        for container in template.containers:
            try:
                runs = _runs(graph, template, container) if mentions(container, _MENTIONED) else ()
                if runs:
                    yield Benchmark(template, container, runs)
            except Undecided as reason:
                yield Unreadable(template.resource, template.name, str(reason))


def read_target(graph: ResourceGraph, benchmark: Benchmark, run: Flags) -> tuple[str, Sequence[Worker]]:
    """Name of the graph, or of the Service before plain pods, at the run's address; its workers with GPUs."""
    url = run.setting(*_URL)
    if url is None or not isinstance(url.value, str):
        raise Undecided("the benchmark names no address")
    host = url.value.rpartition("://")[2].partition("/")[0].partition(":")[0]
    service, _, rest = host.partition(".")
    namespace: Value = rest.partition(".")[0] or benchmark.resource.namespace
    graphs = {
        each.resource.urn: each.resource
        for each in pods_near(graph, namespace)
        if each.shape != "workload" and _service_of(each) == service
    }
    found = [*graphs.values(), *graph.kubernetes_objects_named("Service", service, namespace)]
    if not found:
        raise Undecided(f"what answers at {url.value} is not part of what was read")
    workers = [worker for worker in _workers(graph, found[0]) if worker.gpus_per_pod]
    if not workers:
        raise Undecided(f"nothing says which workers serve behind {url.value}")
    return found[0].name, workers


def _runs(graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]) -> tuple[Flags, ...]:
    commands, unread = read_script(graph, template, container)
    called = [words for words, _ in arguments_of(commands, *_PROGRAMS) if words[:1] == (Word("profile"),)]
    if not called and unread is not None:
        raise unread
    return tuple(parse_flags(tuple(words[1:])) for words in called)


def _service_of(component: PodTemplate) -> str:
    """The name that the operator gives a component's Service."""
    return f"{component.resource.object_name}-{component.name}".lower().replace(".", "-")


def _workers(graph: ResourceGraph, resource: Resource) -> Sequence[Worker]:
    if resource.kind == GRAPH_KIND:
        return tuple(each_readable(workers_by_resource(graph).get(resource.urn, ())))
    workers = workers_of_pods(graph)
    return [worker for pod in selected_pods(graph, resource) for worker in workers.get(pod, ())]
