"""Which engine a container starts, with which words and in which environment."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from rules.reading.shapes import Undecided
from rules.reading.shell_words import RawCommand, ShellReader
from rules.reading.words import (
    UNKNOWN_WORD,
    Environment,
    Word,
    expand_references,
    expand_script_references,
)

TENSORRT_LLM = "dynamo.trtllm"
TRTLLM_SERVE = "trtllm-serve"
DYNAMO_VLLM = "dynamo.vllm"
VLLM_SERVE = "vllm"

_MODULES = frozenset({TENSORRT_LLM, DYNAMO_VLLM, "dynamo.sglang"})

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_OPENING_WORDS = frozenset({"if", "while", "until", "for", "case"})
_CLOSING_WORDS = frozenset({"fi", "done", "esac"})
_MIDDLE_WORDS = frozenset({"then", "else", "elif", "do", "{", "}", "!"})
_DECLARATIONS = frozenset({"export", "declare", "readonly", "local", "typeset"})
_DEEPEST_SCRIPT = 5


@dataclass(frozen=True, slots=True)
class StartCommand:
    """The command that starts an engine."""

    engine: str
    """The module or program, such as TENSORRT_LLM."""
    arguments: tuple[Word, ...]
    """The words after the module or program."""
    environment: Environment


def start_commands(
    command: Sequence[str | None], arguments: Sequence[str | None], environment: Environment
) -> Iterator[StartCommand]:
    """Every engine that the container's command line starts; None stands for an unknown word.

    Raises:
        Undecided: a start script does what only a shell can follow.
    """
    words = [*command, *arguments]
    script_at = _script_position(words)
    if script_at is None:
        expanded = [UNKNOWN_WORD if word is None else expand_references(word, environment) for word in words]
        yield from _engines_of(expanded, environment)
        return
    script = words[script_at]
    if script is None:
        raise Undecided("the start script is known only after the update")
    yield from _script_engines(expand_script_references(script, environment), environment, depth=1)


def _script_position(words: Sequence[str | None]) -> int | None:
    if not words or words[0] is None or PurePosixPath(words[0]).name not in _SHELLS:
        return None
    for index, word in enumerate(words[1:], start=1):
        if word is not None and re.fullmatch(r"-[a-z]*c[a-z]*", word) and index + 1 < len(words):
            return index + 1
    return None


def _script_engines(script: str, environment: Environment, depth: int) -> Iterator[StartCommand]:
    if depth > _DEEPEST_SCRIPT:
        raise Undecided("the start script starts shells inside shells")
    reader = ShellReader(script, dict(environment))
    nesting = 0
    for raw in reader.commands():
        nesting, words = _without_reserved_words(raw.words, nesting)
        certain = nesting == 0 and raw.separator != "||"
        words, own = _assignments(words)
        if not words:
            reader.environment |= own if certain else dict.fromkeys(own, UNKNOWN_WORD)
            continue
        inner = reader.environment | own
        yield from _command_engines(RawCommand(tuple(words), raw.separator), inner, depth)
        _apply_declaration(words, reader, certain=certain)


def _without_reserved_words(words: Sequence[Word], nesting: int) -> tuple[int, list[Word]]:
    remaining = list(words)
    while remaining and remaining[0].known:
        first = remaining[0].text
        if first in _OPENING_WORDS:
            nesting += 1
        elif first in _CLOSING_WORDS:
            nesting -= 1
        elif first not in _MIDDLE_WORDS:
            break
        remaining.pop(0)
    return nesting, remaining


def _assignments(words: Sequence[Word]) -> tuple[list[Word], dict[str, Word]]:
    assigned: dict[str, Word] = {}
    remaining = list(words)
    while remaining:
        match = _ASSIGNMENT.fullmatch(remaining[0].text)
        if match is None:
            break
        assigned[match.group(1)] = Word(match.group(2), remaining.pop(0).known)
    return remaining, assigned


def _apply_declaration(words: Sequence[Word], reader: ShellReader, *, certain: bool) -> None:
    first = words[0].text if words[0].known else ""
    if first in _DECLARATIONS:
        _, assigned = _assignments([word for word in words[1:] if "=" in word.text])
        reader.environment |= assigned if certain else dict.fromkeys(assigned, UNKNOWN_WORD)
    elif first == "unset":
        for word in words[1:]:
            reader.environment.pop(word.text, None)
    elif first in {"eval", "read"}:
        raise Undecided(f"the start script uses {first}")
    elif first in {"source", "."} and not words[-1].text.endswith("/activate"):
        # A virtual environment's activate script changes PATH and nothing that an engine reads.
        raise Undecided(f"the start script reads another script, {words[-1].text or 'unnamed'}")


def _command_engines(command: RawCommand, environment: Environment, depth: int) -> Iterator[StartCommand]:
    texts = [word.text if word.known else None for word in command.words]
    for start, text in enumerate(texts):
        if text is None or PurePosixPath(text).name not in _SHELLS:
            continue
        script_at = _script_position(texts[start:])
        if script_at is not None:
            script = texts[start + script_at]
            if script is None:
                raise Undecided("the start script hands a text to another shell that is known only later")
            yield from _script_engines(script, environment, depth + 1)
            return
    yield from _engines_of(command.words, environment)


def _engines_of(words: Sequence[Word], environment: Environment) -> Iterator[StartCommand]:
    texts = [word.text if word.known else "" for word in words]
    for index, text in enumerate(texts):
        previous = texts[index - 1] if index else ""
        following = texts[index + 1] if index + 1 < len(texts) else ""
        program = PurePosixPath(text).name
        if previous == "-m" and text in _MODULES:
            engine = text
        elif program == TRTLLM_SERVE or (program == VLLM_SERVE and following == "serve"):
            engine = program
        else:
            continue
        yield StartCommand(engine, tuple(words[index + 1 :]), environment)
        return
