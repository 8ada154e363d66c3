"""The settings that SGLang really runs with under `python3 -m dynamo.sglang`."""

from resource_graph import ResourceGraph
from rules.reading.commands.start_script import DYNAMO_SGLANG
from rules.reading.engines.command_settings import CommandSettings, OptionNames, read_settings
from rules.reading.engines.tensorrt_llm import single_command
from rules.reading.pods.once_per_worker import once_per_worker
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

# Names of one option, and the abbreviations that guides use (sglang 0.5.14 sglang/srt/server_args.py).
_NAMES = OptionNames(
    engine="SGLang",
    known_by={
        "--tp": "--tensor-parallel-size",
        "--tp-size": "--tensor-parallel-size",
        "--pp": "--pipeline-parallel-size",
        "--pp-size": "--pipeline-parallel-size",
        "--dp": "--data-parallel-size",
        "--dp-size": "--data-parallel-size",
        "--ep": "--expert-parallel-size",
        "--ep-size": "--expert-parallel-size",
        "--model-path": "--model",
    },
    # Others begin like them: --model-loader-extra-config, --quantization-param-path.
    whole=frozenset({"--model", "--quantization"}),
)


def is_sglang(worker: Worker) -> bool:
    """Whether the worker starts SGLang under Dynamo."""
    return any(command.engine == DYNAMO_SGLANG for command in worker.commands)


@once_per_worker
def read_sglang(graph: ResourceGraph, worker: Worker) -> CommandSettings:
    """The settings of a worker that starts exactly one SGLang engine.

    Raises:
        EngineFileProblem: its --config file cannot be what SGLang needs.
        Undecided: it starts another engine, or several, or its settings come from a section of a file.
    """
    command = single_command(worker)
    if command.engine != DYNAMO_SGLANG:
        raise Undecided(f"starts {command.engine}, whose settings this does not read")
    settings = read_settings(graph, worker, command, _NAMES)
    if settings.at("--disagg-config") is not None:
        raise Undecided("its settings come from --disagg-config, which this does not follow")
    return settings
