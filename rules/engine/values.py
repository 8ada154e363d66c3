"""Values of options: choices and whole numbers."""

import re
from collections.abc import Iterator, Mapping, Sequence

from engines.command_options import Vocabulary, command_options, number_options, option_values, size_options
from engines.effective import NO_FILE, VLLM, Effective, EngineFileProblem, flag_of
from resource_graph import ResourceGraph, Value
from resource_graph.spelling import SLIPS, hint, slip_of
from rules.engine.serving import PARSERS
from rules.reading.commands.container_commands import VLLM_SERVE, StartCommand
from rules.reading.engines.expert_kernels import BACKEND_FLAG
from rules.reading.engines.models import PUBLISHED, checkpoint_name, read_gpt_oss
from rules.reading.engines.settings import is_vllm, read_settings
from rules.reading.pods.workers import Worker
from rules.reading.releases import line_of, shown_command
from rules.reading.shapes import Undecided, known
from rules.rule import Said, Started

_LONG = 6
"""Letters of a value in which two slips do not make another value."""
_Written = tuple[str, str | None, str]
"""Option, what it is given or None for a switch, and the flag or file that says so."""
_ATTENTION_BACKEND = "--attention-backend"
_LOAD_FORMAT = "--load-format"
_SETTLED = frozenset({"--dtype"})
"""Options of vLLM whose values no release has changed (0.10.2 to 0.33.0, ModelDType of vllm/config)."""
_PARSERS = frozenset(flag for flag, *_ in PARSERS)
# What Python's int takes.
_WHOLE = re.compile(r"\s*[+-]?\d+(?:_\d+)*\s*")
# What vLLM calls a human-readable integer; only --max-model-len takes auto.
_SIZE = re.compile(r"\d+(?:\.\d+)?[kKmMgGtT]|auto", re.IGNORECASE)


def wrong_values(command: StartCommand, graph: ResourceGraph, started: Started) -> Iterator[Said]:
    """Each value that the command does not take, of its options and of the file that stands for some."""
    worker = started if isinstance(started, Worker) else None
    try:
        settings = read_settings(graph, worker) if worker is not None and is_vllm(worker) else None
    except EngineFileProblem:
        # Engine-file rules report the failure.
        settings = None
    written = tuple(_written_values(command, settings))
    # The rule answer-parsers says of gpt-oss which parser it needs.
    is_gpt_oss = worker is not None and read_gpt_oss(worker) is not None
    choices = [each for each in written if not (is_gpt_oss and each[0] in _PARSERS)]
    yield from _wrong_choices(started.container, command, choices)
    yield from _misspelt_model(command)
    for message in _number_problems(command, written):
        is_read = line_of(started.container, command_options(command.engine)) is not None
        # A later release may take words where these take numbers.
        yield message if is_read else Undecided(f"{message} in the releases that were read")


def _wrong_choices(
    container: Mapping[str, Value], command: StartCommand, written: Sequence[_Written]
) -> Iterator[str]:
    vocabularies = option_values(command.engine)
    is_vllm = command.engine in VLLM
    # A flag stands after the file, and overrides it.
    acting = {name: (value, source) for name, value, source in written if value is not None}
    for option, (given, source) in acting.items():
        vocabulary = vocabularies.get(option)
        if vocabulary is None:
            continue
        line = line_of(container, vocabulary)
        is_settled = is_vllm and option in _SETTLED
        # Names of backends are long enough for a slip of the pen to be one in any release.
        is_named = is_settled or (is_vllm and option == BACKEND_FLAG)
        by_plugins = option == _LOAD_FORMAT and is_vllm
        # vLLM reads it in small letters, and the name of a backend in capitals.
        value = given.lower() if by_plugins else given
        if option == _ATTENTION_BACKEND and is_vllm:
            value = value.upper()
        is_open = by_plugins or (line is None and not is_settled)
        hint = _problem_of_option(line, value, vocabulary, by_plugins=by_plugins, is_open=is_open)
        if hint is not None and (line is not None or command.engine != VLLM_SERVE or is_named):
            shown = shown_command(command.engine, line)
            yield f"{option}{_place(option, source)} is {given}, which {shown} does not take{hint}"


def _written_values(command: StartCommand, settings: Effective | None) -> Iterator[_Written]:
    """What a person wrote in the file and on the command line, as far as it is text and known."""
    file = NO_FILE if settings is None else settings.file
    for key, value in file.content.items():
        # Of YAML's other values the engine makes words of the command line.
        if isinstance(value, str):
            yield flag_of(key), value, file.source
    for flag in (command.flags if settings is None else settings.flags).all:
        if flag.value is None or flag.value.known:
            yield flag.name, None if flag.value is None else flag.value.text, flag.name


def _place(option: str, source: str) -> str:
    return "" if source == option else f" in {source}"


def _problem_of_option(
    line: tuple[int, int] | None, value: str, vocabulary: Vocabulary, *, by_plugins: bool, is_open: bool
) -> str | None:
    known = vocabulary.of_any_line if line is None or by_plugins else vocabulary.by_line[line]
    if value in known:
        return None
    # A release that was not read may take it, or a plugin; a slip of the pen nobody takes. Short names are
    # alike: fp8 and fp4 are two formats.
    slips = 2 if len(value) >= _LONG else 1
    if is_open and slip_of(value, vocabulary.of_every_line, slips) is None:
        return None
    return hint(value, known) or f": one of {', '.join(sorted(known))}"


def _misspelt_model(command: StartCommand) -> Iterator[str]:
    model = known(checkpoint_name, command)
    meant = None if model is None or model in PUBLISHED else slip_of(model, PUBLISHED, SLIPS)
    if meant is not None:
        yield f"its model is {model}, which the hub does not have; the nearest is {meant}"


def _number_problems(command: StartCommand, written: Sequence[_Written]) -> Iterator[str]:
    """Each value that is no whole number where one is needed."""
    numbers, sizes = number_options(command.engine), size_options(command.engine)
    for name, value, source in (each for each in written if each[0] in numbers or each[0] in sizes):
        is_size = name in sizes and _SIZE.fullmatch((value or "").strip())
        if not is_size and not _WHOLE.fullmatch(value or ""):
            yield f"{name}{_place(name, source)} is {value or 'without a value'}, and must be a whole number"
