"""A worker that serves gpt-oss under Dynamo has the parsers of its answers."""

from collections.abc import Iterator
from dataclasses import dataclass

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.start_script import DYNAMO_VLLM, TENSORRT_LLM, StartCommand
from rules.reading.engines.models import read_gpt_oss
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided


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


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, _check_worker)


def _check_worker(worker: Worker) -> Iterator[Observation]:
    model = read_gpt_oss(worker)
    if model is None:
        return
    for command in worker.commands:
        # trtllm-serve reads harmony by itself; vLLM's own server has options of its own.
        if command.engine not in {TENSORRT_LLM, DYNAMO_VLLM}:
            continue
        for parser in _PARSERS:
            given = _given(command, parser)
            if given == parser.name:
                continue
            found = "has none" if given is None else f"is {given}"
            yield failed(
                worker.resource,
                worker.name,
                f"serves {model.name}, whose {parser.flag} must be {parser.name}, and {found}: "
                f"{parser.without}",
            )


def _given(command: StartCommand, parser: _Parser) -> str | None:
    flag = command.flags.value(parser.flag)
    word = command.environment.get(parser.variable)
    if flag is not None or word is None:
        return flag
    if not word.known:
        raise Undecided(f"the value of the variable {parser.variable} is unknown")
    return word.text


RULE = Rule(
    id="answer-parsers",
    title="A worker that serves gpt-oss has the parsers of its answers",
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
    check=_check,
)
