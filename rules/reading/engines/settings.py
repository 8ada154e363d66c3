"""The engine that a worker starts, and the settings that it runs with."""

from collections.abc import Collection

from engines.effective import TENSORRT_LLM, VLLM, Effective, effective, engine_file_path
from resource_graph import ResourceGraph
from rules.reading.commands.container_commands import ENGINES, StartCommand
from rules.reading.engines.engine_yaml import read_engine_file
from rules.reading.memoized import memoized_for_each
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided


def single_command(worker: Worker, programs: Collection[str] = ENGINES) -> StartCommand:
    """The one engine that the worker starts."""
    command = next(iter(worker.commands), None)
    if command is None:
        raise Undecided(f"asks for {worker.gpus_per_pod} GPUs, but no engine is seen in command or args")
    if len(worker.commands) > 1:
        raise Undecided(f"starts {len(worker.commands)} engines in one container, which this does not follow")
    if command.engine not in programs:
        raise Undecided(f"starts {command.engine}, whose settings this does not read")
    return command


def is_tensorrt_llm(worker: Worker) -> bool:
    """Whether the worker starts TensorRT-LLM, under Dynamo or on its own."""
    return worker.starts(TENSORRT_LLM)


def is_vllm(worker: Worker) -> bool:
    """Whether the worker starts vLLM, under Dynamo or on its own."""
    return worker.starts(VLLM)


@memoized_for_each
def read_settings(graph: ResourceGraph, worker: Worker) -> Effective:
    """The settings of a worker that starts exactly one engine.

    Raises:
        EngineFileProblem: its engine file or an override cannot be what the engine needs.
    """
    command = single_command(worker, TENSORRT_LLM | VLLM)
    started = (command.engine, command.flags, command.environment)
    file = read_engine_file(graph, worker, engine_file_path(*started), written=command.files)
    return effective(*started, file)
