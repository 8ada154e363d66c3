"""What a reader of an engine's command line finds in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Argument = tuple[str, str | None]
"""An option with its value; None for a switch."""

# As the runtime's entry points have them in common (PyPI package ai-dynamo 1.2.1, argparse).
_OF_EVERY_ENGINE = frozenset({"--model-path", "--model", "--served-model-name", "--disaggregation-mode"})


@dataclass(frozen=True, slots=True)
class ReadWorker:
    """What one worker is started with, beside the model, its name and the mode."""

    options: Mapping[str, Any]
    """Engine options, as a recipe would have them."""
    arguments: tuple[str, ...]
    """Flags that a recipe keeps as they are."""


class CommandReader(Protocol):
    """Reads what starts one engine's workers."""

    variables_of_the_recipe: frozenset[str]
    """Variables that the recipe sets where the engine needs them; nobody types them beside it."""

    def read(self, arguments: Sequence[str]) -> ReadWorker:
        """Return what a worker is started with; `arguments` are the words after the engine's module."""
        ...


def own_options(arguments: Sequence[str]) -> tuple[Argument, ...]:
    """Return a command line's options without those that the workers of every engine have."""
    return tuple(each for each in split_options(arguments) if each[0] not in _OF_EVERY_ENGINE)


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
