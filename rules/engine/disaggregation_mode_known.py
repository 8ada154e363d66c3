"""A worker's disaggregation mode is one of its command's."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from hardware import DISAGGREGATION_MODES
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.start_script import DYNAMO_VLLM, TENSORRT_LLM, StartCommand
from rules.reading.engines.runtime_version import Line, by_line
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
        if modes is None or given is None:
            continue
        message = f"{given.source} is {given.value}, which {command.engine} does not have"
        if not any(given.value in each for each in modes.values()):
            *_, newest = modes.values()
            yield failed(worker.resource, worker.name, f"{message}: one of {', '.join(newest)}")
        elif not all(given.value in each for each in modes.values()):
            missing = by_line(
                partial(_missing, modes, str(given.value)), worker.container, worker.described_by
            )
            if missing is not None:
                yield failed(worker.resource, worker.name, f"{message} {missing}")


def _missing(modes: Mapping[Line, Sequence[str]], mode: str, line: Line) -> str | None:
    """Why a release line does not have a mode; None where it does, or nothing is known of it."""
    has = [values for since, values in modes.items() if since <= line]
    if not has or mode in has[-1]:
        return None
    return f"in {line[0]}.{line[1]}: one of {', '.join(has[-1])}"


def _given(command: StartCommand) -> Setting | None:
    flag = command.flags.value(_FLAG)
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
    reason=(
        "The command ends at once. Engines and releases differ: dynamo.trtllm knows `agg` from 1.3 on and "
        "refuses `prefill_and_decode` from 1.4 on."
    ),
    source=(
        "ai-dynamo 0.6.1, 0.7.1, 0.8.1, 0.9.1, 1.0.2, 1.1.1, 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.1 from PyPI: "
        "argparse of dynamo.trtllm and dynamo.vllm"
    ),
    lines=("Dynamo 0.6 to 1.6",),
    fix="Write a mode that the finding names; an aggregated worker needs none.",
    check=_check,
)
