"""A benchmark's tools are releases with a version."""

from collections.abc import Iterator, Sequence

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.benchmarks.benchmarks import Benchmark, check_benchmarks
from rules.reading.commands.container_scripts import ContainerScript
from rules.reading.commands.words import Word

_PIP = ("pip", "pip3")
_APT = ("apt-get", "apt")
# Options of `pip install` whose value is the next word.
_WITH_VALUE = frozenset(
    {"-t", "--target", "-r", "--requirement", "-i", "--index-url", "--extra-index-url", "-c", "--constraint"}
)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_benchmarks(graph, _check_benchmark)


def _check_benchmark(benchmark: Benchmark) -> Iterator[Observation]:
    problems = list(_problems(benchmark.script))
    if problems:
        yield failed(benchmark.resource, benchmark.name, f"installs when it starts: {'; '.join(problems)}")


def _problems(script: ContainerScript) -> Iterator[str]:
    for words, _ in script.arguments_of(*_PIP):
        for package in _installed(words):
            if "://" in package:
                yield f"{package.partition('@')[0]} from source, which needs git and the site at every run"
            elif "==" not in package:
                yield f"{package} in whichever version is the newest that day"
    for words, _ in script.arguments_of(*_APT):
        packages = [package for package in _installed(words) if "=" not in package]
        if packages:
            yield f"{', '.join(packages)} by apt-get, as root and in no version"


def _installed(words: Sequence[Word]) -> Iterator[str]:
    texts = [word.text for word in words if word.known]
    if "install" not in texts:
        return
    skip = False
    for text in texts[texts.index("install") + 1 :]:
        if skip or text.startswith("-"):
            skip = text in _WITH_VALUE
        elif text and not text.startswith((".", "/")):
            yield text


RULE = Rule(
    id="benchmark-tool-pinned",
    title="A benchmark's tools are releases with a version",
    severity=Severity.ADVISORY,
    reason=(
        "Two runs of the same Job then measure with different tools, or the second one does not start, and "
        "numbers of different days cannot be compared."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/perf.yaml at 0d348a1; releases: "
        "https://pypi.org/project/aiperf/"
    ),
    lines=("aiperf 0.13.0",),
    fix=(
        "Install releases from PyPI with their version (aiperf==0.13.0), or use an image that has the tools."
    ),
    check=_check,
)
