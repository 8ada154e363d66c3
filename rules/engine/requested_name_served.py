"""A benchmark asks for its target's model by the name under which it is served."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.benchmarks.benchmark_targets import read_target
from rules.reading.benchmarks.benchmarks import Benchmark, check_benchmarks
from rules.reading.engines.served_names import served_name
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_benchmarks(graph, lambda benchmark: _check_benchmark(graph, benchmark))


def _check_benchmark(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[Observation]:
    for run in benchmark.runs:
        wanted = run.model
        if wanted is None:
            continue
        try:
            target = read_target(graph, benchmark, run)
        except Undecided:
            # A target that is not here; the rules about load and lengths say so.
            continue
        names = [served_name(graph, worker) for worker in target.workers]
        served = sorted({str(name.value) for name in names if name is not None})
        # A worker whose name is not seen may be the one that is asked for.
        if served and None not in names and str(wanted.value) not in served:
            yield failed(
                benchmark.resource,
                benchmark.name,
                f"asks for the model {wanted.value} ({wanted.source}), but {target.name} serves "
                f"{', '.join(served)}",
            )


RULE = Rule(
    id="requested-name-served",
    title="A benchmark asks for the model by the name under which it is served",
    severity=Severity.ADVISORY,
    reason="The frontend answers every request with 404, Model not found.",
    source="ai-dynamo/dynamo docs of troubleshooting (404 Model not found)",
    lines=EVERY_RELEASE,
    fix="Write the value of --served-model-name in the benchmark's --model.",
    check=_check,
)
