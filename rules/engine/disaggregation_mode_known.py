"""A worker's disaggregation mode is one of its command's."""

from collections.abc import Iterator

from hardware import DISAGGREGATION_MODES
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.flags import parse_flags
from rules.reading.commands.start_script import DYNAMO_VLLM, TENSORRT_LLM, StartCommand
from rules.reading.engines.tensorrt_llm import Setting
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided

_FLAG = "--disaggregation-mode"
_VARIABLES = {
    TENSORRT_LLM: "DYN_TRTLLM_DISAGGREGATION_MODE",
    DYNAMO_VLLM: "DYN_VLLM_DISAGGREGATION_MODE",
}


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, _check_worker)


def _check_worker(worker: Worker) -> Iterator[Observation]:
    for command in worker.commands:
        modes = DISAGGREGATION_MODES.get(command.engine)
        given = None if modes is None else _given(command)
        if modes is None or given is None or given.value in modes:
            continue
        yield failed(
            worker.resource,
            worker.name,
            f"{given.source} is {given.value}, which {command.engine} does not have: one of "
            f"{', '.join(modes)}",
        )


def _given(command: StartCommand) -> Setting | None:
    flag = parse_flags(command.arguments).value(_FLAG)
    if flag is not None:
        return Setting(flag, _FLAG)
    variable = _VARIABLES[command.engine]
    word = command.environment.get(variable)
    if word is None:
        return None
    if not word.known:
        raise Undecided(f"the value of the variable {variable} is unknown")
    return Setting(word.text, variable)


RULE = Rule(
    id="disaggregation-mode-known",
    title="A worker's disaggregation mode is one that its command has",
    severity=Severity.MANDATORY,
    reason="The command ends at once. The engines differ: `agg` is vLLM's word only.",
    source="ai-dynamo 1.2.1 from PyPI: argparse of dynamo.trtllm and dynamo.vllm",
    lines=("Dynamo 1.2",),
    fix="Write a mode that the finding names; an aggregated worker needs none.",
    check=_check,
)
