"""Whether a command has the options of its command line, and takes their values."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

from engines.command_line import Flag
from engines.effective import NO_FILE, VLLM, Effective, EngineFileProblem, effective, flag_of
from engines.release import (
    COMMANDS,
    CommandWords,
    ReleaseLine,
    Vocabulary,
    command_options,
    number_options,
    option_values,
)
from engines.tensorrt_llm.keys import TRTLLM_SERVE_ALIKE, TRTLLM_SERVE_FLAGS
from resource_graph import ResourceGraph, Value
from resource_graph.spelling import SLIPS, hint, slip_of
from rules.reading.commands.container_commands import (
    DYNAMO_FRONTEND,
    DYNAMO_SGLANG,
    DYNAMO_VLLM,
    TRTLLM_SERVE,
    VLLM_SERVE,
    StartCommand,
)
from rules.reading.disaggregation import MODE_FLAG, MODE_VARIABLES
from rules.reading.engines.expert_kernels import BACKEND_FLAG
from rules.reading.engines.models import PUBLISHED, checkpoint_name
from rules.reading.engines.settings import is_vllm, read_settings
from rules.reading.pods.containers import read_image, reference_names
from rules.reading.pods.workers import Worker
from rules.reading.releases import by_line, line_of, shown_command, shown_image
from rules.reading.shapes import Undecided, known
from rules.rule import STARTED, Advice, Said, Severity, each_of, rule

_SHORTEST = 4
"""Characters that an abbreviation has at least, dashes included, so that it means something."""
_OWN_LINES = frozenset((0, minor) for minor in range(10, 34))
"""Releases of vLLM, no option of which is a slip away from another one that all releases have."""
_REASONING = "--reasoning-parser"
_TOOLS = "--tool-call-parser"
_AUTO = "--enable-auto-tool-choice"
_PARSERS = (
    (_REASONING, "openai_gptoss", "--reasoning-parser-plugin"),
    (_TOOLS, "openai", "--tool-parser-plugin"),
)
"""Option, its parser for gpt-oss, and the option that adds parsers to vLLM's own."""
_OF_OTHERS = frozenset({"gpt_oss", "gpt-oss", "harmony"})
"""What Dynamo and SGLang call these parsers: no vLLM that was read has one of these names."""
_LONG = 6
"""Letters of a value in which two slips do not make another value."""
_Written = tuple[str, str | None, str]
"""Option, what it is given or None for a switch, and the flag or file that says so."""
_LOAD_FORMAT = "--load-format"
_READ_AS = {"--attention-backend": str.upper, _LOAD_FORMAT: str.lower}
"""Options of vLLM that it takes in small letters and in capitals."""
_DTYPE = "--dtype"
"""Its values no release of vLLM has changed (0.10.2 to 0.33.0, ModelDType of vllm/config)."""
_WHOLE = re.compile(r"\s*[+-]?\d+(?:_\d+)*\s*")
# Only --max-model-len takes auto.
_SIZE = re.compile(r"\d+(?:\.\d+)?[kKmMgGtT]|auto", re.IGNORECASE)


@rule(
    STARTED,
    severity=Severity.MANDATORY,
    reason=(
        "A command that meets an option or a value that it does not know ends at once with exit code 1 or 2, "
        "and so does vllm serve with a parser of another server, or without the parser that an option needs. "
        "Advice where an option is deprecated: a later image ends at start because of it."
    ),
    source=(
        "ai-dynamo 0.6.1 to 1.6.1 from PyPI: argparse of dynamo.trtllm, dynamo.frontend and dynamo.vllm, "
        "with the vllm (vllm serve too) that each names; vllm 0.10.2, 0.11.0, 0.14.0, 0.19.1, 0.23.0, 0.31.0 "
        "and 0.33.0 from PyPI (names of options and parsers, choices of --dtype, validate_api_server_args, "
        "validate_parsed_serve_args); NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py "
        "at 00209af, and of 2025 in the fork BatshevaBlack/TensorRT-LLM at 385a1b9 (underscores)"
    ),
    lines=("Dynamo 0.6 to 1.6", "vLLM 0.10 to 0.33", "TensorRT-LLM 1.3.0rc14"),
    fix="Correct the spelling, or write the option, value or mode that the finding names.",
)
def flags_exist(graph: ResourceGraph, started: Worker) -> Iterator[Said]:
    """Command does not have an option, or does not take its value."""
    if any(command.engine == DYNAMO_SGLANG for command in started.commands):
        yield Undecided(f"starts {DYNAMO_SGLANG}, whose options are not read here")
    read = (command for command in started.commands if command.engine != DYNAMO_SGLANG)
    checks = (_unknown_options, _mode, _wrong_values, _refused_by_the_server, _deprecated)
    yield from each_of(graph, started, *(partial(check, each) for each in read for check in checks))


def _mode(command: StartCommand, _: ResourceGraph, started: Worker) -> Iterator[str]:
    modes = COMMANDS.get(command.engine, CommandWords()).disaggregation_modes
    given = command.given(MODE_FLAG, MODE_VARIABLES[command.engine]) if modes else None
    if given is None or command.engine == DYNAMO_FRONTEND:
        return
    releases = [given.value in each for each in modes.values()]
    judge = partial(_has_mode, modes, str(given.value))
    if not all(releases) and not (any(releases) and by_line(judge, started.container, started.template)):
        one_of = ", ".join(list(modes.values())[-1])
        yield f"{given.source} is {given.value}, which {command.engine} does not have: one of {one_of}"


def _has_mode(modes: Mapping[ReleaseLine, Sequence[str]], mode: str, line: ReleaseLine) -> bool:
    """Whether a release line has the mode, or was never read."""
    has = [values for since, values in modes.items() if since <= line]
    return not has or mode in has[-1]


def _deprecated(command: StartCommand, _: ResourceGraph, started: Worker) -> Iterator[Advice]:
    deprecated = COMMANDS.get(command.engine, CommandWords()).deprecated
    names = [name for name in dict.fromkeys(flag.name for flag in command.flags.all) if name in deprecated]
    # Whether the release knows the option that is to be written instead.
    since = min(COMMANDS[DYNAMO_VLLM].disaggregation_modes)
    if names and (
        command.engine != DYNAMO_VLLM
        or by_line(lambda line: line >= since, started.container, started.template)
    ):
        yield from (Advice(f"{name} of {command.engine} is deprecated: {deprecated[name]}") for name in names)


def _refused_by_the_server(command: StartCommand, _: ResourceGraph, __: Worker) -> Iterator[str]:
    """Each option with which `vllm serve` ends at start."""
    if command.engine != VLLM_SERVE:
        return
    flags = effective(command.engine, command.flags, command.environment).flags
    # Without automatic choice of tools their parser is not looked up.
    asks_for_tools = bool(flags.switch(_AUTO))
    for option, right, plugin in _PARSERS:
        given = flags.value(option)
        is_looked_up = option == _REASONING or asks_for_tools
        if given in _OF_OTHERS and is_looked_up and flags.value(plugin) is None:
            yield (
                f"{option} is {given}, a name of Dynamo's or SGLang's: vllm serve calls the parser of "
                f"gpt-oss {right}, and ends with a KeyError"
            )
    if asks_for_tools and flags.value(_TOOLS) is None and flags.value("--config") is None:
        # A switch takes no value: what follows it by a variable may be the parser's option.
        values = (each.value for each in flags.all if each.value is not None)
        if any(not each.known or reference_names(each.text) for each in values):
            raise Undecided(f"a word of the command line is unknown and might set {_TOOLS}")
        yield f"{_AUTO} stands without {_TOOLS}, and vllm serve ends with a TypeError; gpt-oss needs openai"


def _unknown_options(command: StartCommand, _: ResourceGraph, started: Worker) -> Iterator[Said]:
    given = tuple(
        dict.fromkeys(
            _in_full(command, flag)
            for flag in command.flags.all
            if flag.name.startswith("--") and flag.name != "--"
        )
    )
    for message, certain in _problems(started.container, command, given):
        shown = shown_image(started.container)
        yield message if certain else Undecided(f"{message}; whether {shown} has it is not known")


def _in_full(command: StartCommand, flag: Flag) -> str:
    # vLLM's parser takes underscores for dashes, and a dot begins a key of an option's JSON object.
    if command.engine in VLLM:
        return f"--{flag.name[2:].partition('.')[0].replace('_', '-')}"
    return flag.name


def _problems(
    container: Mapping[str, Value], command: StartCommand, given: tuple[str, ...]
) -> Iterable[tuple[str, bool]]:
    """Each problem of the options, and whether the problem is certain."""
    if command.engine == TRTLLM_SERVE:
        return _of_trtllm_serve(container, given)
    vocabulary = command_options(command.engine)
    may_be_read = vocabulary is not None and _may_be_read_release(container, command.engine, vocabulary)
    return _of_vocabulary(command.engine, given, line_of(container, vocabulary), may_be_read=may_be_read)


def _of_trtllm_serve(container: Mapping[str, Value], given: Iterable[str]) -> Iterator[tuple[str, bool]]:
    image = read_image(container)
    line = None if image is None else image.line
    removed = COMMANDS[TRTLLM_SERVE].removed
    first, last = TRTLLM_SERVE_ALIKE
    for flag in given:
        # Not all of its options are listed, but all of them have underscores.
        right = f"--{flag[2:].replace('-', '_')}"
        hint = f"write {right}" if right != flag and right in TRTLLM_SERVE_FLAGS else removed.get(flag)
        if hint is not None:
            certain = line is not None and (last if flag in removed else first) <= line <= last
            yield f"{flag} is no option of {TRTLLM_SERVE}: {hint}", certain


@lru_cache(maxsize=1024)
def _of_vocabulary(
    engine: str, given: tuple[str, ...], line: tuple[int, int] | None, *, may_be_read: bool
) -> Sequence[tuple[str, bool]]:
    words = COMMANDS.get(engine, CommandWords())
    vocabulary = command_options(engine)
    found: list[tuple[str, bool]] = []
    for flag in given:
        message = f"{flag} is no option of {shown_command(engine, line)}"
        if flag.startswith(words.prefixes):
            continue
        if flag in words.removed:
            found.append((f"{message}: {words.removed[flag]}", line is not None))
        elif vocabulary is not None:
            known = vocabulary.of_any_line if line is None else vocabulary.by_line[line]
            # Of a release that was not read nobody knows all options, but a slip of the pen is one anywhere.
            if not _is_known(flag, known):
                slip = may_be_read and slip_of(flag, vocabulary.of_every_line, SLIPS) is not None
                found.append((f"{message}{hint(flag, known)}", line is not None or slip))
    return found


def _is_known(flag: str, known: Collection[str]) -> bool:
    positive = f"--{flag.removeprefix('--no-')}" if flag.startswith("--no-") else flag
    # argparse takes the beginning of a name for the whole, unless told not to.
    begins = len(positive) >= _SHORTEST and any(name.startswith(positive) for name in known)
    return positive in known or flag in known or begins


def _may_be_read_release(container: Mapping[str, Value], engine: str, vocabulary: Vocabulary) -> bool:
    """Whether the image is not known to be older than every release that was read."""
    image = read_image(container)
    if engine == VLLM_SERVE:
        # The numbers of vLLM's own images are not those of Dynamo, by which its options are listed.
        return image is not None and image.line is not None and image.line in _OWN_LINES
    return image is None or image.line is None or image.line >= min(vocabulary.by_line)


def _wrong_values(command: StartCommand, graph: ResourceGraph, started: Worker) -> Iterator[Said]:
    """Each value that the command does not take, of its options and of the file that stands for some."""
    try:
        settings = read_settings(graph, started) if is_vllm(started) else None
    except EngineFileProblem:
        settings = None
    given = tuple(_written_values(command, settings))
    read = {*number_options(command.engine), *option_values(command.engine)}
    for name, value, source in given:
        if name in read and reference_names(value or ""):
            yield Undecided(
                f"{_shown(name, source)} is {value}, and nothing that was read sets that variable"
            )
    written = [each for each in given if not reference_names(each[1] or "")]
    yield from _wrong_choices(started.container, command, written)
    model = known(checkpoint_name, command)
    meant = None if model is None or model in PUBLISHED else slip_of(model, PUBLISHED, SLIPS)
    if meant is not None:
        yield f"its model is {model}, which the hub does not have; the nearest is {meant}"
    for message in _number_problems(command, written):
        is_read = line_of(started.container, command_options(command.engine)) is not None
        # A later release may take words where these take numbers.
        yield message if is_read else Undecided(f"{message} in the releases that were read")


def _wrong_choices(
    container: Mapping[str, Value], command: StartCommand, written: Sequence[_Written]
) -> Iterator[str]:
    # A flag stands after the file, and overrides it.
    acting = {name: (value, source) for name, value, source in written if value is not None}
    for option, vocabulary in option_values(command.engine).items():
        given, source = acting.get(option, (None, ""))
        line = line_of(container, vocabulary)
        is_own = command.engine == VLLM_SERVE and option not in {_DTYPE, BACKEND_FLAG}
        if given is None or (line is None and is_own):
            continue
        known = vocabulary.of_any_line if line is None else vocabulary.by_line[line]
        value = _READ_AS.get(option, str)(given)
        # A release that was not read may take it, or a plugin; a slip of the pen nobody takes. Short names
        # are alike: fp8 and fp4 are two formats.
        is_sure = option == _DTYPE or (line is not None and option != _LOAD_FORMAT)
        slips = 2 if len(value) >= _LONG else 1
        if value not in known and (is_sure or slip_of(value, vocabulary.of_every_line, slips) is not None):
            near = hint(value, known) or f": one of {', '.join(sorted(known))}"
            shown = shown_command(command.engine, line)
            yield f"{_shown(option, source)} is {given}, which {shown} does not take{near}"


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


def _shown(option: str, source: str) -> str:
    return option if source == option else f"{option} in {source}"


def _number_problems(command: StartCommand, written: Sequence[_Written]) -> Iterator[str]:
    """Each value that is no whole number where one is needed."""
    takes_units = number_options(command.engine)
    for name, value, source in (each for each in written if each[0] in takes_units):
        is_size = takes_units[name] and _SIZE.fullmatch((value or "").strip())
        if not is_size and not _WHOLE.fullmatch(value or ""):
            yield f"{_shown(name, source)} is {value or 'without a value'}, and must be a whole number"
