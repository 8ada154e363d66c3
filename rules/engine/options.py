"""Whether the options of a command line exist, and whether they will."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from engines import (
    COMMANDS,
    DEPRECATED_ENGINE_KEYS,
    TRTLLM_SERVE_FLAGS,
    TRTLLM_SERVE_FLAGS_LINE,
    CommandWords,
    Vocabulary,
    command_options,
)
from resource_graph import ResourceGraph, Value
from rules.model import Severity
from rules.reading.commands.container_commands import DYNAMO_VLLM, TRTLLM_SERVE, VLLM_SERVE, StartCommand
from rules.reading.commands.words import Flag
from rules.reading.engines.command_settings import is_sglang, read_sglang
from rules.reading.engines.engine_yaml import EngineFileProblem
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm, read_tensorrt_llm
from rules.reading.pods.containers import read_image
from rules.reading.pods.workers import Worker
from rules.reading.releases import by_line, line_of, shown_command, shown_image
from rules.reading.shapes import Undecided
from rules.reading.spelling import nearest, slip_of
from rules.rule import Said, rule
from rules.subjects import CONFIGURED_WORKERS, STARTED, Started

_SHORT = 2
"""Characters of `--` alone; options of one dash are few, and are no abbreviations of others."""
_SHORTEST = 4
"""Characters that an abbreviation has at least, dashes included, so that it means something."""
_SLIPS = 2


@rule(
    STARTED,
    severity=Severity.MANDATORY,
    reason="A command that meets an option it does not know ends at once with exit code 1 or 2.",
    source=(
        "ai-dynamo 1.2.1 to 1.6.0 from PyPI: argparse of dynamo.trtllm, dynamo.frontend, dynamo.vllm and "
        "dynamo.sglang, with the vllm (vllm serve too) and sglang that each names; NVIDIA/TensorRT-LLM "
        "tensorrt_llm/commands/serve.py at 00209af"
    ),
    lines=("Dynamo 1.2 to 1.6", "vLLM 0.20 to 0.31", "TensorRT-LLM 1.3.0rc14"),
    fix="Correct the spelling, or write what replaced the option.",
)
def flags_exist(graph: ResourceGraph, started: Started) -> Iterator[Said]:
    """Every option on a command line is one that its command has."""
    for command in started.commands:
        given = dict.fromkeys(
            _in_full(command, flag)
            for flag in command.flags.all
            if flag.name.startswith("--") and len(flag.name) > _SHORT
        )
        if started.worker is not None and is_sglang(started.worker):
            given.update(dict.fromkeys(f"--{key}" for key in _file_keys(graph, started.worker)))
        for message, certain in _unknown_options(started.container, command, given):
            if certain:
                yield message
            else:
                shown = shown_image(started.container)
                yield Undecided(f"{message}; whether {shown} has it is not known")


def _in_full(command: StartCommand, flag: Flag) -> str:
    # vLLM's parser takes underscores for dashes, and a dot begins a key of an option's JSON object.
    if command.engine in {DYNAMO_VLLM, VLLM_SERVE}:
        return f"--{flag.name[2:].partition('.')[0].replace('_', '-')}"
    return flag.name


def _file_keys(graph: ResourceGraph, worker: Worker) -> Iterable[str]:
    """The keys of SGLang's --config file, which SGLang makes options of."""
    try:
        return read_sglang(graph, worker).file.content
    except EngineFileProblem:
        # Engine-file rules report the failure.
        return ()


def _unknown_options(
    container: Mapping[str, Value], command: StartCommand, given: Mapping[str, None]
) -> Iterable[tuple[str, bool]]:
    """Each problem of the options, and whether the problem is certain."""
    # With it, vLLM-Omni reads the command line, which has options of its own.
    if command.engine == VLLM_SERVE and "--omni" in given:
        return ()
    if command.engine == TRTLLM_SERVE:
        return _of_trtllm_serve(container, given)
    vocabulary = command_options(command.engine)
    line = line_of(container, vocabulary)
    # The numbers of vLLM's own images are not those of Dynamo, by which its options are listed.
    counted = command.engine != VLLM_SERVE
    may_be_read = counted and vocabulary is not None and _may_be_read_release(container, vocabulary)
    return _of_vocabulary(command.engine, tuple(given), line, may_be_read=may_be_read)


def _of_trtllm_serve(container: Mapping[str, Value], given: Iterable[str]) -> Iterator[tuple[str, bool]]:
    image = read_image(container)
    release = ".".join(str(part) for part in TRTLLM_SERVE_FLAGS_LINE)
    removed = COMMANDS[TRTLLM_SERVE].removed
    for flag in given:
        # Not all of its options are listed, but all of them have underscores.
        right = f"--{flag[2:].replace('-', '_')}"
        if flag in removed:
            hint = removed[flag]
        elif right != flag and right in TRTLLM_SERVE_FLAGS:
            hint = f"write {right}"
        else:
            continue
        message = f"{flag} is no option of {TRTLLM_SERVE} {release}: {hint}"
        yield message, image is not None and image.line == TRTLLM_SERVE_FLAGS_LINE


# Many workers have the same options.
@lru_cache(maxsize=1024)
def _of_vocabulary(
    engine: str, given: tuple[str, ...], line: tuple[int, int] | None, *, may_be_read: bool
) -> Sequence[tuple[str, bool]]:
    words = COMMANDS.get(engine, CommandWords())
    vocabulary = command_options(engine)
    found: list[tuple[str, bool]] = []
    for flag in given:
        if flag.startswith(words.prefixes):
            continue
        if flag in words.removed:
            message = f"{flag} is no option of {shown_command(engine, line)}: {words.removed[flag]}"
            found.append((message, line is not None))
        elif vocabulary is not None and not _is_known(flag, vocabulary, line):
            known = vocabulary.of_any_line if line is None else vocabulary.by_line[line]
            message = f"{flag} is no option of {shown_command(engine, line)}{nearest(flag, known)}"
            # Of a release that was not read nobody knows all options, but a slip of the pen is one anywhere.
            slip = may_be_read and slip_of(flag, vocabulary.of_every_line, _SLIPS) is not None
            found.append((message, line is not None or slip))
    return found


def _is_known(flag: str, vocabulary: Vocabulary, line: tuple[int, int] | None) -> bool:
    known = vocabulary.of_any_line if line is None else vocabulary.by_line[line]
    positive = f"--{flag.removeprefix('--no-')}" if flag.startswith("--no-") else flag
    if positive in known or flag in known:
        return True
    # argparse takes the beginning of a name for the whole, unless told not to.
    return len(positive) >= _SHORTEST and any(name.startswith(positive) for name in known)


def _may_be_read_release(container: Mapping[str, Value], vocabulary: Vocabulary) -> bool:
    """Whether the image is not known to be older than every release that was read."""
    image = read_image(container)
    return image is None or image.line is None or image.line >= vocabulary.lines[0]


@rule(
    CONFIGURED_WORKERS,
    severity=Severity.ADVISORY,
    reason="It works today, and a later image ends at start because of it.",
    source=(
        "ai-dynamo 1.2.1 from PyPI (argparse of dynamo.vllm); NVIDIA/TensorRT-LLM "
        "tensorrt_llm/llmapi/llm_args.py and tensorrt_llm/commands/serve.py around release 1.3.0rc14"
    ),
    lines=("Dynamo 0.9 to 1.2", "TensorRT-LLM 1.3.0rc14"),
    fix="Write what the finding names instead.",
)
def deprecated_settings(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """No option or setting is deprecated."""
    for command in worker.commands:
        deprecated = COMMANDS.get(command.engine, CommandWords()).deprecated
        for name in dict.fromkeys(flag.name for flag in command.flags.all):
            if name in deprecated and _has_the_other_word(worker, command):
                yield f"{name} of {command.engine} is deprecated: {deprecated[name]}"
    if not is_tensorrt_llm(worker):
        return
    for source, written in read_tensorrt_llm(graph, worker).written():
        for path, instead in DEPRECATED_ENGINE_KEYS.items():
            if _contains(written, path):
                yield f"{'.'.join(path)} in {source} is deprecated: {instead}"


def _has_the_other_word(worker: Worker, command: StartCommand) -> bool:
    """Whether the release knows the option that is to be written instead."""
    if command.engine != DYNAMO_VLLM:
        return True
    since = min(COMMANDS[DYNAMO_VLLM].disaggregation_modes)
    return by_line(lambda line: line >= since, worker.container, worker.described_by)


def _contains(written: Mapping[str, Value], path: tuple[str, ...]) -> bool:
    current: Value = written
    for key in path:
        if not isinstance(current, Mapping) or key not in current:
            return False
        current = current[key]
    return True
