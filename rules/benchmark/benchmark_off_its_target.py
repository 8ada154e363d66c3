"""A benchmark runs beside its target without keeping itself, or the target, from running."""

from collections.abc import Iterator, Mapping, Sequence

from resource_graph import ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed
from rules.reading.benchmarks.benchmark_targets import read_target
from rules.reading.benchmarks.benchmarks import Benchmark, check_benchmarks
from rules.reading.pods.label_selectors import selects
from rules.reading.shapes import mapping_at, mappings_at, text_at

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_HOSTNAME = "kubernetes.io/hostname"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_benchmarks(graph, lambda benchmark: _check_benchmark(graph, benchmark))


def _check_benchmark(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[Observation]:
    spec = benchmark.script.template.spec
    terms = _own_node_terms(spec)
    if terms:
        target = read_target(graph, benchmark, benchmark.runs[0])
        for term in terms:
            selector = mapping_at(term, "labelSelector")
            shunned = [worker.name for worker in target.workers if selects(selector, worker.template)]
            if shunned:
                yield failed(
                    benchmark.resource,
                    benchmark.name,
                    f"must not share a node with {', '.join(shunned)} of {target.name} (required "
                    f"podAntiAffinity on {_HOSTNAME}): where they stand on every node that it tolerates, it "
                    "stays Pending",
                )
        return
    if not _chooses_nodes(spec):
        yield failed(
            benchmark.resource,
            benchmark.name,
            "says nothing about its node, so its processes may take CPU from the GPU workers that it "
            "measures",
        )


def _own_node_terms(spec: Mapping[str, Value]) -> Sequence[Mapping[str, Value]]:
    terms = mappings_at(spec, "affinity", "podAntiAffinity", _REQUIRED)
    return [term for term in terms if text_at(term, "topologyKey") == _HOSTNAME]


def _chooses_nodes(spec: Mapping[str, Value]) -> bool:
    affinity = mapping_at(spec, "affinity")
    return bool(
        mapping_at(spec, "nodeSelector")
        or mapping_at(affinity, "nodeAffinity", _REQUIRED)
        or mappings_at(affinity, "nodeAffinity", _PREFERRED)
        or mappings_at(affinity, "podAffinity", _REQUIRED)
        or mappings_at(affinity, "podAntiAffinity", _PREFERRED)
    )


RULE = Rule(
    id="benchmark-off-its-target",
    title="A benchmark finds a node, and if it can another one than the GPU workers'",
    severity=Severity.ADVISORY,
    reason=(
        "The operator writes the graph's name on each of its pods, so an anti-affinity to that label shuns "
        "the GPU workers too: on a small cluster no node is left. Without any placement hundreds of load "
        "processes compete with the engines for the CPUs of a GPU node."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/perf.yaml at 0d348a1, and for the labels "
        "deploy/operator/internal/consts/consts.go at 0367e40"
    ),
    lines=("Dynamo 1.2",),
    fix=(
        "Prefer nodes without GPUs (preferred node affinity, nvidia.com/gpu.present NotIn true) and drop the "
        "required anti-affinity, or narrow it by nvidia.com/dynamo-component-type."
    ),
    check=_check,
)
