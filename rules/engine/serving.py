"""Under which name a model is served and asked for, and how its answers are read."""

from collections.abc import Iterator
from dataclasses import dataclass

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.benchmarks import Benchmark, read_target
from rules.reading.commands.container_commands import DYNAMO_VLLM, TENSORRT_LLM, StartCommand
from rules.reading.commands.words import variable_in
from rules.reading.disaggregation import Disaggregated
from rules.reading.engines.models import read_gpt_oss, read_model_limits, served_name
from rules.reading.pods.workers import Worker
from rules.reading.shapes import known
from rules.rule import rule
from rules.subjects import BENCHMARKS, DISAGGREGATED, WORKERS


@rule(
    DISAGGREGATED,
    severity=Severity.MANDATORY,
    reason=(
        "The frontend brings prefill and decode together by the model's name. With two names prefill is "
        "never called: its GPUs idle while decode computes the prompts, and one name is not served at all. "
        "Of another model the cache has another shape."
    ),
    source="ai-dynamo/dynamo lib/llm/src/discovery/model_manager.rs (activate_prefill_router)",
    lines=("Dynamo 1.2",),
    fix="Give --model and --served-model-name the same value on every worker of the graph.",
)
def served_name_equal(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    """Prefill and decode load one model and offer it under one name."""
    names = {worker.name: served_name(graph, worker) for worker in group.workers}
    known = {name: setting for name, setting in names.items() if setting is not None}
    if len({str(setting.value) for setting in known.values()}) > 1:
        shown = ", ".join(f"{name} {found.value} ({found.source})" for name, found in known.items())
        yield f"their models have different names: {shown}"
    models = {worker.name: read_model_limits(graph, worker) for worker in group.workers}
    loaded = {name: model.name for name, model in models.items() if model is not None}
    if len(set(loaded.values())) > 1:
        shown = ", ".join(f"{name} {model}" for name, model in loaded.items())
        yield f"they load different models: {shown}"


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason="The frontend answers every request with 404, Model not found.",
    source="ai-dynamo/dynamo docs of troubleshooting (404 Model not found)",
    lines=EVERY_RELEASE,
    fix="Write the value of --served-model-name in the benchmark's --model.",
)
def requested_name_served(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """A benchmark asks for the model by the name under which it is served."""
    for run in benchmark.runs:
        # Of a target that is not here the rules about load and lengths say so.
        wanted, target = run.model, known(read_target, graph, benchmark, run)
        if wanted is None or target is None:
            continue
        names = [served_name(graph, worker) for worker in target.workers]
        served = sorted({str(name.value) for name in names if name is not None})
        # A worker whose name is not seen may be the one that is asked for.
        if served and None not in names and str(wanted.value) not in served:
            asked = f"asks for the model {wanted.value} ({wanted.source})"
            yield f"{asked}, but {target.name} serves {', '.join(served)}"


@dataclass(frozen=True, slots=True)
class _Parser:
    flag: str
    variable: str
    name: str
    without: str


_PARSERS = (
    _Parser(
        "--dyn-reasoning-parser",
        "DYN_REASONING_PARSER",
        "gpt_oss",
        "answers begin with the model's reasoning and its channel marks",
    ),
    _Parser(
        "--dyn-tool-call-parser", "DYN_TOOL_CALL_PARSER", "harmony", "tool_calls of an answer stay empty"
    ),
)


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "gpt-oss answers in the harmony format. Dynamo hands it on as it is unless told which parsers split "
        "it: the deployment answers, but reasoning stands in the text and calls of tools are lost."
    ),
    source=(
        "ai-dynamo/dynamo docs of gpt-oss for TensorRT-LLM and vLLM; names of parsers: ai-dynamo 1.2.1 from "
        "PyPI"
    ),
    lines=("Dynamo 1.2",),
    fix="Add --dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony to every worker.",
)
def answer_parsers(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A worker that serves gpt-oss has the parsers of its answers."""
    model = read_gpt_oss(worker)
    if model is None:
        return
    for command in worker.commands:
        # trtllm-serve reads harmony by itself; vLLM's own server has options of its own.
        if command.engine not in {TENSORRT_LLM, DYNAMO_VLLM}:
            continue
        for parser in _PARSERS:
            given = _given_parser(command, parser)
            if given == parser.name:
                continue
            found = "has none" if given is None else f"is {given}"
            wanted = f"whose {parser.flag} must be {parser.name}"
            yield f"serves {model.name}, {wanted}, and {found}: {parser.without}"


def _given_parser(command: StartCommand, parser: _Parser) -> str | None:
    flag = command.flags.value(parser.flag)
    return variable_in(command.environment, parser.variable) if flag is None else flag
