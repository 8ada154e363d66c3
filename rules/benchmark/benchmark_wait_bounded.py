"""A benchmark does not wait for its target for ever."""

import re
from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.benchmarks.benchmarks import Benchmark, check_benchmarks
from rules.reading.shapes import whole_number_at

_LOOP = re.compile(r"^[ \t]*(?:while|until)\b(.{0,4000}?)^[ \t]*done\b", re.DOTALL | re.MULTILINE)
_ONE_LINE_LOOP = re.compile(r"(?:^|[;&|][ \t]*)(?:while|until)\b([^\n]{0,2000}?);[ \t]*done\b", re.MULTILINE)
_PAUSE = re.compile(r"\bsleep\b")
# What ends a loop whose condition never comes: a failure, a comparison of a counter, a limit of time.
_BOUND = re.compile(
    r"\b(?:exit|return)[ \t]+[1-9]|\btimeout\b|\s-(?:lt|le|gt|ge|eq)\s|\(\([^)]{0,200}[<>]|--retry-max-time"
)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_benchmarks(graph, _check_benchmark)


def _check_benchmark(benchmark: Benchmark) -> Iterator[Observation]:
    template = benchmark.script.template
    if whole_number_at(template.described_by, "activeDeadlineSeconds") is not None:
        return
    if whole_number_at(template.spec, "activeDeadlineSeconds") is not None:
        return
    text = benchmark.script.text
    loops = [match.group(1) for pattern in (_LOOP, _ONE_LINE_LOOP) for match in pattern.finditer(text)]
    if any(_PAUSE.search(loop) and not _BOUND.search(loop) for loop in loops):
        yield failed(
            benchmark.resource,
            benchmark.name,
            "waits in a loop that nothing ends but its condition, and has no activeDeadlineSeconds: if the "
            "model never answers, it runs for ever",
        )


RULE = Rule(
    id="benchmark-wait-bounded",
    title="A benchmark does not wait for its target for ever",
    severity=Severity.ADVISORY,
    reason="A Job whose target never comes up neither ends nor fails: nobody is told, and it keeps its node.",
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/perf.yaml at 0d348a1 (bounded in perf/perf.yaml at "
        "1a5ac0f)"
    ),
    lines=EVERY_RELEASE,
    fix="Count the attempts and end after the last one, and set activeDeadlineSeconds on the Job.",
    check=_check,
)
