"""Benchmarks: containers that run AIPerf, or its forerunner GenAI-Perf, against a deployment."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph
from rules.reading.commands.container_scripts import ContainerScript, mentions, read_script
from rules.reading.commands.flags import Flags, parse_flags
from rules.reading.engines.tensorrt_llm import Count, Setting
from rules.reading.once import once_per_graph
from rules.reading.pods.pods import Unreadable, read_pods
from rules.reading.shapes import Undecided, whole_number

_PROGRAMS = ("aiperf", "genai-perf", "genai_perf")
_MENTIONED = re.compile(r"\b(?:aiperf|genai[-_]perf)\b")

# Names of one option, newest first (aiperf 0.13.0, aiperf/common/config; GenAI-Perf has the middle ones).
_INPUT_TOKENS = ("--prompt-input-tokens-mean", "--synthetic-input-tokens-mean", "--isl")
_OUTPUT_TOKENS = ("--prompt-output-tokens-mean", "--output-tokens-mean", "--osl")
_CONCURRENCY = ("--concurrency",)
_MODEL = ("--model-names", "--model", "-m")
_TOKENIZER = ("--tokenizer",)
_URL = ("--url", "-u")

GPU_COUNT_VARIABLE = "DEPLOYMENT_GPU_COUNT"
PER_GPU_VARIABLE = "CONCURRENCY_PER_GPU"
MODE_VARIABLE = "DEPLOYMENT_MODE"
"""What Dynamo's recipes call the GPUs of the deployment, the requests for each, and how it is laid out."""


@dataclass(frozen=True, slots=True)
class BenchmarkRun:
    """One call of the load generator."""

    flags: Flags

    @property
    def input_tokens(self) -> Count | None:
        """Mean length of a prompt; None where a file or the tool's default decides."""
        return self._count(_INPUT_TOKENS)

    @property
    def output_tokens(self) -> Count | None:
        """Mean length of an answer; None where a file or the model decides."""
        return self._count(_OUTPUT_TOKENS)

    @property
    def concurrency(self) -> Count | None:
        """Requests that are open at once; None where they are sent at a rate."""
        return self._count(_CONCURRENCY)

    @property
    def model(self) -> Setting | None:
        """The name that requests carry."""
        return self._setting(_MODEL)

    @property
    def tokenizer(self) -> Setting | None:
        """Repository or directory of the tokenizer that counts tokens."""
        return self._setting(_TOKENIZER)

    @property
    def url(self) -> Setting | None:
        """Where requests go."""
        return self._setting(_URL)

    def _count(self, names: Sequence[str]) -> Count | None:
        setting = self._setting(names)
        if setting is None:
            return None
        return Count(whole_number(setting.value, setting.source), setting.source)

    def _setting(self, names: Sequence[str]) -> Setting | None:
        # No abbreviations here: AIPerf and GenAI-Perf take names in full.
        for flag in reversed(self.flags.all):
            if flag.name not in names or flag.value is None:
                continue
            if not flag.value.known:
                raise Undecided(f"the value of {flag.name} is unknown")
            return Setting(flag.value.text, flag.name)
        if not self.flags.complete:
            raise Undecided(f"a word of the command line is unknown and might set {names[0]}")
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """A container that measures."""

    script: ContainerScript
    runs: tuple[BenchmarkRun, ...]

    @property
    def resource(self) -> Resource:
        """The Job or Pod."""
        return self.script.template.resource

    @property
    def name(self) -> str:
        """For findings."""
        return self.script.template.name

    def count(self, variable: str) -> Count | None:
        """A variable of the container that is a whole number; None where nobody sets it."""
        text = self.text(variable)
        return None if text is None else Count(whole_number(text, f"the variable {variable}"), variable)

    def text(self, variable: str) -> str | None:
        """A variable of the container; None where nobody sets it.

        Raises:
            Undecided: it is set to something unknown.
        """
        word = self.script.environment.get(variable)
        if word is not None and not word.known:
            raise Undecided(f"the value of the variable {variable} is unknown")
        return None if word is None else word.text


@once_per_graph
def read_benchmarks(graph: ResourceGraph) -> Sequence[Benchmark | Unreadable]:
    """All benchmarks, in the order of the graph."""
    return tuple(_read(graph))


def _read(graph: ResourceGraph) -> Iterator[Benchmark | Unreadable]:
    for template in read_pods(graph):
        # A pod that cannot be read is told by the rules about all pods.
        if isinstance(template, Unreadable) or template.shape != "workload":
            continue
        for container in template.containers:
            try:
                if not mentions(container, _MENTIONED):
                    continue
                script = read_script(graph, template, container)
            except Undecided as reason:
                yield Unreadable(template.resource, template.name, str(reason))
                continue
            runs = tuple(_runs(script))
            if runs:
                yield Benchmark(script, runs)
            elif script.unread is not None:
                yield Unreadable(template.resource, template.name, script.unread)


def _runs(script: ContainerScript) -> Iterator[BenchmarkRun]:
    for words, _ in script.arguments_of(*_PROGRAMS):
        if words and words[0].known and words[0].text == "profile":
            yield BenchmarkRun(parse_flags(words[1:]))
