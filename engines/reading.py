"""What a reader of somebody's own command line finds in it, so that it can become a recipe."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Argument = tuple[str, str | None]
"""An option with its value; None for a switch."""

# As the runtime's entry points have them in common (PyPI package ai-dynamo 1.2.1, argparse).
_MODEL = ("--model-path", "--model")
_SERVED_NAME = "--served-model-name"
_MODE = "--disaggregation-mode"


@dataclass(frozen=True, slots=True)
class ReadWorker:
    """What one worker was started with."""

    model: str | None
    """Repository or path of the model; None where the command names none."""
    served_name: str | None
    mode: str | None
    """Value of --disaggregation-mode; None for the default, in which a worker does both."""
    options: Mapping[str, Any]
    """Engine options, as a recipe would have them."""
    moved: tuple[str, ...]
    """Flags that stand for some of these options."""
    arguments: tuple[str, ...]
    """Flags that a recipe keeps as they are."""
    environment: Mapping[str, str]
    """Variables that a recipe keeps as they are."""
    algorithm: str | None
    """Number formats of the experts; None where nothing names them."""


class CommandReader(Protocol):
    """Reads what starts one engine's workers."""

    file_flags: tuple[str, ...]
    """Options that name the engine's file; the last one wins."""

    def read(
        self, arguments: Sequence[str], file: Mapping[str, Any], environment: Mapping[str, str]
    ) -> ReadWorker:
        """Return what a worker was started with.

        Args:
            arguments: words after the engine's module, with variables filled in.
            file: content of the engine's file; empty where there is none.
            environment: of the container.

        """
        ...


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """The options that the workers of every engine have, and those that are left."""

    model: str | None
    served_name: str | None
    mode: str | None
    rest: tuple[Argument, ...]


def common_options(arguments: Sequence[str]) -> CommonOptions:
    """Return a command line's options, those of every engine apart."""
    given = tuple(split_options(arguments))
    last = dict(given)
    model = next((last[flag] for flag in reversed(_MODEL) if flag in last), None)
    own = {*_MODEL, _SERVED_NAME, _MODE}
    rest = tuple(each for each in given if each[0] not in own)
    return CommonOptions(model, last.get(_SERVED_NAME), last.get(_MODE), rest)


def split_options(arguments: Sequence[str]) -> Iterator[Argument]:
    """Yield the options of a command line: `--name value`, `--name=value`, or a switch."""
    name: str | None = None
    for word in arguments:
        # A single dash before a digit is a negative number.
        if not word.startswith("-") or word[1:2].isdigit():
            if name is not None:
                yield name, word
            name = None
            continue
        if name is not None:
            yield name, None
        option, equals, value = word.partition("=")
        name = None if equals else option
        if equals:
            yield option, value
    if name is not None:
        yield name, None


def joined_options(options: Sequence[Argument]) -> tuple[str, ...]:
    """Return options as the words of a command line."""
    return tuple(word for option in options for word in option if word is not None)
