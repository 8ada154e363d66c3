"""Which engine a container starts, with which words and in which environment."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rules.reading.commands.flags import Flags, parse_flags
from rules.reading.commands.shell_script import SimpleCommand, simple_commands
from rules.reading.commands.words import (
    Environment,
    Word,
    expand_script_references,
    expand_words,
)
from rules.reading.commands.written_files import Files
from rules.reading.shapes import Undecided

TENSORRT_LLM = "dynamo.trtllm"
TRTLLM_SERVE = "trtllm-serve"
DYNAMO_VLLM = "dynamo.vllm"
VLLM_SERVE = "vllm"

DYNAMO_FRONTEND = "dynamo.frontend"
"""No engine: Dynamo's HTTP server and router."""

DYNAMO_SGLANG = "dynamo.sglang"
_MODULES = frozenset({TENSORRT_LLM, DYNAMO_VLLM, DYNAMO_SGLANG, DYNAMO_FRONTEND})

ENGINES = (TENSORRT_LLM, TRTLLM_SERVE, DYNAMO_VLLM, VLLM_SERVE, DYNAMO_SGLANG)
"""Modules and programs that start one."""

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})
_DEEPEST_SCRIPT = 5
_FARTHEST_OPTION = 20
"""Words of a command line among which a shell's own options stand."""


@dataclass(frozen=True, slots=True)
class StartCommand:
    """The command that starts an engine, or Dynamo's frontend."""

    engine: str
    """The module or program, such as TENSORRT_LLM."""
    arguments: tuple[Word, ...]
    """The words after the module or program."""
    environment: Environment
    files: Files = field(default_factory=dict[str, Word])
    """What its start script wrote before, by path."""
    flags: Flags = field(init=False, repr=False, compare=False)
    """Its words as options; read once, because nearly every rule asks for one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "flags", parse_flags(self.arguments))


def start_commands(
    command: Sequence[str | None], arguments: Sequence[str | None], environment: Environment
) -> Sequence[StartCommand]:
    """Every engine and frontend that the container's command line starts; None stands for an unknown word.

    Raises:
        Undecided: a start script does what only a shell can follow.
    """
    found = _started((*command, *arguments), tuple(environment.items()))
    if isinstance(found, Undecided):
        raise found.with_traceback(None)
    return found


# Workers, frontends and servers are each read from all containers, equal ones among them.
@lru_cache(maxsize=4096)
def _started(
    words: tuple[str | None, ...], variables: tuple[tuple[str, Word], ...]
) -> tuple[StartCommand, ...] | Undecided:
    try:
        return tuple(_read(words, dict(variables)))
    except Undecided as reason:
        return reason


def _read(words: Sequence[str | None], environment: Environment) -> Iterator[StartCommand]:
    script_at = script_position(words)
    if script_at is None:
        yield from _engines_of(SimpleCommand(expand_words(words, environment), "", environment))
        return
    script = words[script_at]
    if script is None:
        raise Undecided("the start script is known only after the update")
    yield from _script_engines(expand_script_references(script, environment), environment, depth=1)


def script_position(words: Sequence[str | None]) -> int | None:
    """Where among the words of a command line the script of `sh -c` stands; None where there is none."""
    if not words or words[0] is None or _program(words[0]) not in _SHELLS:
        return None
    for index, word in enumerate(words[1:_FARTHEST_OPTION], start=1):
        if word is not None and re.fullmatch(r"-[a-z]*c[a-z]*", word) and index + 1 < len(words):
            return index + 1
    return None


def _script_engines(script: str, environment: Environment, depth: int) -> Iterator[StartCommand]:
    if depth > _DEEPEST_SCRIPT:
        raise Undecided("the start script starts shells inside shells")
    for command in simple_commands(script, environment):
        yield from _command_engines(command, depth)


def _command_engines(command: SimpleCommand, depth: int) -> Iterator[StartCommand]:
    texts = [word.text if word.known else None for word in command.words]
    for start, text in enumerate(texts):
        if text is None or _program(text) not in _SHELLS:
            continue
        script_at = script_position(texts[start : start + _FARTHEST_OPTION + 1])
        script = command.here_document if script_at is None else command.words[start + script_at]
        if script is None:
            continue
        if not script.known:
            raise Undecided("the start script hands a text to another shell that is known only later")
        yield from _script_engines(script.text, command.environment, depth + 1)
        return
    yield from _engines_of(command)


def _engines_of(command: SimpleCommand) -> Iterator[StartCommand]:
    texts = [word.text if word.known else "" for word in command.words]
    for index, text in enumerate(texts):
        previous = texts[index - 1] if index else ""
        following = texts[index + 1] if index + 1 < len(texts) else ""
        program = _program(text)
        if previous == "-m" and text in _MODULES:
            engine = text
        elif program == TRTLLM_SERVE or (program == VLLM_SERVE and following == "serve"):
            engine = program
        else:
            continue
        yield StartCommand(engine, command.words[index + 1 :], command.environment, command.files)
        return


def _program(word: str) -> str:
    """The last part of a path; each word of each command line is asked for it."""
    return word.rstrip("/").rpartition("/")[2]
