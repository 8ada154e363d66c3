"""Values of settings and options: choices, whole numbers and shares."""

import re
from collections.abc import Iterator, Mapping

from engines import (
    ENGINE_BLOCK_KEYS,
    ENGINE_CHOICES,
    ENGINE_CHOICES_IN_ANY_CASE,
    ENGINE_COUNTS,
    Vocabulary,
    command_options,
    kv_connectors,
    number_options,
    option_values,
    size_options,
)
from resource_graph import ResourceGraph, Value
from rules.model import Observation, Severity
from rules.reading.commands.container_commands import DYNAMO_VLLM, VLLM_SERVE, StartCommand
from rules.reading.engines.command_settings import CommandSettings, is_sglang, is_vllm, read_sglang, read_vllm
from rules.reading.engines.engine_yaml import EngineFileProblem
from rules.reading.engines.expert_kernels import BACKEND_FLAG
from rules.reading.kv_ways import connector_problems
from rules.reading.pods.workers import Worker
from rules.reading.releases import TENSORRT_LLM_LINES, as_read, line_of, shown_command
from rules.reading.shapes import Setting, Undecided
from rules.reading.spelling import nearest, slip_of
from rules.rule import Said, graph_rule
from rules.subjects import STARTED, TENSORRT_LLM_WORKERS, Started, TensorRtLlmWorker

# What vLLM calls a human-readable integer; only --max-model-len takes auto.
_SIZE = re.compile(r"\d+(?:\.\d+)?[kKmMgGtT]|auto", re.IGNORECASE)
_FRACTION = ("kv_cache_config", "free_gpu_memory_fraction")
_PATHS = (*ENGINE_CHOICES, *sorted(ENGINE_COUNTS), _FRACTION)
_OF_VLLM = frozenset({DYNAMO_VLLM, VLLM_SERVE})
_LONG = 6
"""Letters of a value in which two slips do not make another value."""
_ATTENTION_BACKEND = "--attention-backend"
_LOAD_FORMAT = "--load-format"
_FRACTIONS = ("--gpu-memory-utilization", "--mem-fraction-static")
_BY_FLAG = frozenset({_FRACTION, ("load_format",), ("guided_decoding_backend",)})
"""Settings with bounds or choices that a flag may set; flags that are counts are no text anyway."""


@graph_rule(
    severity=Severity.MANDATORY,
    reason="The engine checks its settings before it loads anything, and the worker ends at start.",
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py around release 1.3.0rc14; ai-dynamo 1.2.1 to "
        "1.6.0 from PyPI (choices of options), with the vllm and sglang that each names"
    ),
    lines=(
        "TensorRT-LLM 1.3.0rc14",
        "Dynamo 1.2",
        "Dynamo 1.3",
        "Dynamo 1.4",
        "Dynamo 1.5",
        "Dynamo 1.6",
    ),
    fix="Write one of the values that the finding names.",
)
def engine_values_allowed(graph: ResourceGraph) -> Iterator[Observation]:
    """Every setting and option has a value that the engine accepts."""
    yield from TENSORRT_LLM_WORKERS.judge(graph, _wrong_settings)
    yield from STARTED.judge(graph, _wrong_options)


def _number_problems(command: StartCommand, settings: CommandSettings | None) -> Iterator[str]:
    """Each value that is no whole number where one is needed."""
    numbers, sizes = number_options(command.engine), size_options(command.engine)
    for flag in (command.flags if settings is None else settings.flags).all:
        if flag.name not in numbers and flag.name not in sizes:
            continue
        if flag.value is None:
            yield f"{flag.name} has no value, and argparse expects one"
        elif flag.value.known and not _is_number(flag.value.text, with_unit=flag.name in sizes):
            yield _number_message(flag.name, flag.value.text, "", command, with_unit=flag.name in sizes)
    if settings is None:
        return
    for key, value in settings.file.content.items():
        name = f"--{key}"
        # The engine makes words of the command line of its file.
        is_number = name in numbers or name in sizes
        if is_number and isinstance(value, str) and not _is_number(value, with_unit=name in sizes):
            yield _number_message(
                name, value, f" in {settings.file.source}", command, with_unit=name in sizes
            )


def _number_message(name: str, value: str, where: str, command: StartCommand, *, with_unit: bool) -> str:
    unit = " and no number with a unit such as 4k" if with_unit else ""
    engine = "vLLM" if command.engine in {DYNAMO_VLLM, VLLM_SERVE} else "SGLang"
    return f"{name}{where} is {value!r}, no whole number{unit}: {engine} ends with a usage error"


def _is_number(text: str, *, with_unit: bool) -> bool:
    if with_unit and _SIZE.fullmatch(text.strip()):
        return True
    try:
        int(text)
    except ValueError:
        return False
    return True


def _wrong_settings(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[Said]:
    worker, settings = engine.worker, engine.settings
    broken = {
        block: source
        for source, written in settings.written()
        for block in ENGINE_BLOCK_KEYS
        if written.get(block) is not None and not isinstance(written[block], Mapping)
    }
    for block, source in broken.items():
        yield f"{block} in {source} is no mapping of settings"
    written = {key for _, mapping in settings.written() for key in mapping}
    for path in _PATHS:
        if path[0] in broken or (path[0] not in written and path not in _BY_FLAG):
            continue
        setting = settings.at(*path)
        problem = None if setting is None else _problem(path, setting.value)
        if setting is not None and problem is not None:
            message = f"{'.'.join(path)} in {setting.source} is {setting.value!r}{problem}"
            # Releases differ in the words that they take, and in none does a slip of the pen pass.
            if path in ENGINE_CHOICES and slip_of(str(setting.value), ENGINE_CHOICES[path]) is None:
                yield from as_read(worker, [message], TENSORRT_LLM_LINES)
            else:
                yield message


def _problem(path: tuple[str, ...], value: Value) -> str | None:
    if path in ENGINE_CHOICES:
        return _problem_of_choice(path, value)
    number = _number(value)
    if path == _FRACTION:
        return None if number is not None and 0 <= number <= 1 else ", not a number from 0 to 1"
    return None if number is not None and number >= 0 and number == int(number) else ", not a whole number"


def _problem_of_choice(path: tuple[str, ...], value: Value) -> str | None:
    allowed = ENGINE_CHOICES[path]
    text = value.upper() if isinstance(value, str) and path in ENGINE_CHOICES_IN_ANY_CASE else value
    if isinstance(text, str) and text in allowed:
        return None
    other_case = [choice for choice in allowed if choice.lower() == str(value).lower()]
    if other_case:
        return f", and capitals matter: write {other_case[0]}"
    return f", not one of {', '.join(sorted(allowed))}"


def _wrong_options(graph: ResourceGraph, started: Started) -> Iterator[Said]:
    container, worker = started.container, started.worker
    for command in started.commands:
        settings = None if worker is None else _option_settings(graph, worker)
        yield from _wrong_choices(container, command, settings)
        for message in _number_problems(command, settings):
            is_read = line_of(container, command_options(command.engine)) is not None
            # A later release may take words where these take numbers.
            yield message if is_read else Undecided(f"{message} in the releases that were read")
        if settings is not None and command.engine in _OF_VLLM:
            yield from connector_problems(settings, line_of(container, kv_connectors(DYNAMO_VLLM)))
        if settings is not None:
            yield from _wrong_fractions(settings)


def _option_settings(graph: ResourceGraph, worker: Worker) -> CommandSettings | None:
    try:
        if is_sglang(worker):
            return read_sglang(graph, worker)
        return read_vllm(graph, worker) if is_vllm(worker) else None
    except EngineFileProblem:
        # Engine-file rules report the failure.
        return None


def _wrong_choices(
    container: Mapping[str, Value], command: StartCommand, settings: CommandSettings | None
) -> Iterator[str]:
    vocabularies = option_values(command.engine)
    for option, setting in _written_options(command, settings).items():
        vocabulary = vocabularies.get(option)
        # YAML's null is no value, and neither is a list.
        if vocabulary is None or not isinstance(setting.value, str):
            continue
        # The rule vllm-moe-backend says of it what it does to the experts, too.
        if option == BACKEND_FLAG and command.engine in _OF_VLLM:
            continue
        line = line_of(container, vocabulary)
        if line is None and command.engine == VLLM_SERVE:
            continue
        by_plugins = option == _LOAD_FORMAT and command.engine in _OF_VLLM
        # vLLM reads it in small letters, and the name of a backend in capitals.
        value = setting.value.lower() if by_plugins else setting.value
        if option == _ATTENTION_BACKEND and command.engine in _OF_VLLM:
            value = value.upper()
        hint = _problem_of_option(line, value, vocabulary, by_plugins=by_plugins)
        if hint is not None:
            where = "" if setting.source == option else f" in {setting.source}"
            shown = shown_command(command.engine, line)
            yield f"{option}{where} is {setting.value}, which {shown} does not take{hint}"


def _written_options(command: StartCommand, settings: CommandSettings | None) -> Mapping[str, Setting]:
    """Name of an option -> what it is given; a flag overrides the file."""
    written: dict[str, Setting] = {}
    if settings is not None:
        file = settings.file
        written |= {f"--{key}": Setting(value, file.source) for key, value in file.content.items()}
    for flag in (command.flags if settings is None else settings.flags).all:
        if flag.value is not None and flag.value.known:
            written[flag.name] = Setting(flag.value.text, flag.name)
    return written


def _problem_of_option(
    line: tuple[int, int] | None, value: str, vocabulary: Vocabulary, *, by_plugins: bool
) -> str | None:
    known = vocabulary.of_any_line if line is None or by_plugins else vocabulary.by_line[line]
    if value in known:
        return None
    # A release that was not read may take it, or a plugin; a slip of the pen nobody takes.
    is_open = line is None or by_plugins
    if is_open and slip_of(value, vocabulary.of_every_line, _slips(value)) is None:
        return None
    return nearest(value, known) or f": one of {', '.join(sorted(known))}"


def _slips(value: str) -> int:
    # Short names are alike: fp8 and fp4 are two formats.
    return 2 if len(value) >= _LONG else 1


def _wrong_fractions(settings: CommandSettings) -> Iterator[str]:
    for option in _FRACTIONS:
        given = settings.at(option)
        number = None if given is None else _number(given.value)
        if given is not None and (number is None or not 0 < number <= 1):
            yield f"{option} ({given.source}) is {given.value}, not a share of the memory from 0 to 1"


def _number(value: Value) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    # Neither "nan" nor "inf" is a size.
    return number if abs(number) < float("inf") else None
