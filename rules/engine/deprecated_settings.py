"""No option or setting is on its way out."""

from collections.abc import Iterator, Mapping

from hardware import DEPRECATED_ENGINE_KEYS, DEPRECATED_FLAGS, DISAGGREGATION_MODES
from resource_graph import ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.start_script import DYNAMO_VLLM, StartCommand
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.runtime_version import by_line
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    for command in worker.commands:
        deprecated = DEPRECATED_FLAGS.get(command.engine, {})
        for name in dict.fromkeys(flag.name for flag in command.flags.all):
            if name in deprecated and _has_the_other_word(worker, command):
                yield failed(
                    worker.resource,
                    worker.name,
                    f"{name} of {command.engine} is deprecated: {deprecated[name]}",
                )
    if not is_tensorrt_llm(worker):
        return
    try:
        settings = engine_settings(graph, worker)
    except EngineFileProblem:
        return
    for source, written in settings.written():
        for path, instead in DEPRECATED_ENGINE_KEYS.items():
            if _contains(written, path):
                yield failed(
                    worker.resource, worker.name, f"{'.'.join(path)} in {source} is deprecated: {instead}"
                )


def _has_the_other_word(worker: Worker, command: StartCommand) -> bool:
    """Whether the release knows what is to be written instead.

    Raises:
        Undecided: nothing says of which release it is.
    """
    if command.engine != DYNAMO_VLLM:
        return True
    since = min(DISAGGREGATION_MODES[DYNAMO_VLLM])
    return by_line(lambda line: line >= since, worker.container, worker.described_by)


def _contains(written: Mapping[str, Value], path: tuple[str, ...]) -> bool:
    current: Value = written
    for key in path:
        if not isinstance(current, Mapping) or key not in current:
            return False
        current = current[key]
    return True


RULE = Rule(
    id="deprecated-settings",
    title="No option or setting is deprecated",
    severity=Severity.ADVISORY,
    reason="It works today, and a later image ends at start because of it.",
    source=(
        "ai-dynamo 1.2.1 from PyPI (argparse of dynamo.vllm); NVIDIA/TensorRT-LLM "
        "tensorrt_llm/llmapi/llm_args.py and tensorrt_llm/commands/serve.py around release 1.3.0rc14"
    ),
    lines=("Dynamo 0.9 to 1.2", "TensorRT-LLM 1.3.0rc14"),
    fix="Write what the finding names instead.",
    check=_check,
)
