"""The settings that vLLM really runs with under `python3 -m dynamo.vllm` or `vllm serve`."""

from resource_graph import ResourceGraph
from rules.reading.commands.start_script import DYNAMO_VLLM, VLLM_SERVE
from rules.reading.engines.command_settings import CommandSettings, OptionNames, read_settings
from rules.reading.engines.tensorrt_llm import single_command
from rules.reading.pods.once_per_worker import once_per_worker
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

_PROGRAMS = frozenset({DYNAMO_VLLM, VLLM_SERVE})
_NAMES = OptionNames(
    engine="vLLM",
    known_by={
        "-tp": "--tensor-parallel-size",
        "-pp": "--pipeline-parallel-size",
        "-dp": "--data-parallel-size",
    },
    # Others begin like it: --data-parallel-size-local.
    whole=frozenset({"--data-parallel-size"}),
)


def is_vllm(worker: Worker) -> bool:
    """Whether the worker starts vLLM, under Dynamo or on its own."""
    return any(command.engine in _PROGRAMS for command in worker.commands)


@once_per_worker
def read_vllm(graph: ResourceGraph, worker: Worker) -> CommandSettings:
    """The settings of a worker that starts exactly one vLLM engine.

    Raises:
        EngineFileProblem: its --config file cannot be what vLLM needs.
        Undecided: it starts another engine, or several.
    """
    command = single_command(worker)
    if command.engine not in _PROGRAMS:
        raise Undecided(f"starts {command.engine}, whose settings this does not read")
    return read_settings(graph, worker, command, _NAMES)
