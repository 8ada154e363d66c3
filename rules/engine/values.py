"""Values of options: choices and whole numbers."""

import re
from collections.abc import Iterator, Mapping

from engines import Vocabulary, command_options, number_options, option_values, size_options
from resource_graph import ResourceGraph, Value
from rules.reading.commands.container_commands import DYNAMO_VLLM, VLLM_SERVE, StartCommand
from rules.reading.engines.command_settings import CommandSettings, is_vllm, read_vllm
from rules.reading.engines.engine_yaml import EngineFileProblem
from rules.reading.engines.expert_kernels import BACKEND_FLAG
from rules.reading.pods.workers import Worker
from rules.reading.releases import line_of, shown_command
from rules.reading.shapes import Setting, Undecided
from rules.reading.spelling import nearest, slip_of
from rules.rule import Said
from rules.subjects import Started

_LONG = 6
"""Letters of a value in which two slips do not make another value."""
_OF_VLLM = frozenset({DYNAMO_VLLM, VLLM_SERVE})
_ATTENTION_BACKEND = "--attention-backend"
_LOAD_FORMAT = "--load-format"
# What vLLM calls a human-readable integer; only --max-model-len takes auto.
_SIZE = re.compile(r"\d+(?:\.\d+)?[kKmMgGtT]|auto", re.IGNORECASE)


def wrong_values(graph: ResourceGraph, started: Started, command: StartCommand) -> Iterator[Said]:
    """Each value that the command does not take, of its options and of the file that stands for some."""
    settings = None if started.worker is None else _option_settings(graph, started.worker)
    yield from _wrong_choices(started.container, command, settings)
    for message in _number_problems(command, settings):
        is_read = line_of(started.container, command_options(command.engine)) is not None
        # A later release may take words where these take numbers.
        yield message if is_read else Undecided(f"{message} in the releases that were read")


def _option_settings(graph: ResourceGraph, worker: Worker) -> CommandSettings | None:
    try:
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
    engine = "vLLM" if command.engine in _OF_VLLM else command.engine
    return f"{name}{where} is {value!r}, no whole number{unit}: {engine} ends with a usage error"


def _is_number(text: str, *, with_unit: bool) -> bool:
    if with_unit and _SIZE.fullmatch(text.strip()):
        return True
    try:
        int(text)
    except ValueError:
        return False
    return True
