"""What a container runs beside engines: downloads, load generators and what prepares them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from resource_graph import ResourceGraph, Value
from rules.reading.commands.shell_script import SimpleCommand, simple_commands
from rules.reading.commands.start_script import script_position
from rules.reading.commands.words import (
    UNKNOWN_WORD,
    Environment,
    Word,
    expand_script_references,
    expand_words,
)
from rules.reading.pods.containers import read_environment
from rules.reading.pods.pods import PodTemplate
from rules.reading.pods.workers import environment_lists
from rules.reading.shapes import Undecided, texts_at

_HERE_DOCUMENT = re.compile(
    r"<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1([^\n]*)\n.{0,8000}?^[ \t]*\2[ \t]*$", re.DOTALL | re.MULTILINE
)
_FUNCTION = re.compile(
    r"^([ \t]*)(?:function[ \t]+)?([A-Za-z_]\w*)[ \t]*\(\)[ \t]*\{[ \t]*\n(.{0,8000}?\n)\1\}[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_PRODUCT = re.compile(r"\$\(\([ \t]*((?:\$?\{?\w+\}?)(?:[ \t]*\*[ \t]*\$?\{?\w+\}?)*)[ \t]*\)\)")
_POSITIONAL = re.compile(r"\$\{?([1-9])\}?")
# Functions that call functions make a text longer each time; a person's script stays far below.
_LONGEST_SCRIPT = 100_000
_MOST_FUNCTIONS = 200
_MOST_DIGITS = 18
"""Of a number, as a shell counts in 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class ContainerScript:
    """The commands of one container."""

    template: PodTemplate
    container: Mapping[str, Value]
    environment: Environment
    text: str
    """The script, or the words of the command line."""
    commands: tuple[SimpleCommand, ...]
    unread: str | None
    """Why what follows the last command could not be read."""

    def arguments_of(self, *programs: str) -> Iterator[tuple[Sequence[Word], Environment]]:
        """The words after each of these programs, also where another one starts them: `python3 -m pip`."""
        for command in self.commands:
            for index, word in enumerate(command.words):
                if word.known and word.text.rpartition("/")[2] in programs:
                    yield command.words[index + 1 :], command.environment
                    break


def mentions(container: Mapping[str, Value], pattern: re.Pattern[str]) -> bool:
    """Whether the pattern is found anywhere in the container's command line."""
    words = [*texts_at(container, "command"), *texts_at(container, "args")]
    return any(word is not None and pattern.search(word) is not None for word in words)


def read_script(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]
) -> ContainerScript:
    """What the container runs, as far as it can be followed.

    Shell functions are read where they are called, with the arguments of the call.

    Raises:
        Undecided: its environment or its command line has no readable shape.
    """
    lists = environment_lists(template, container)
    environment = read_environment(graph, template.resource, lists)
    words = [*texts_at(container, "command"), *texts_at(container, "args")]
    script_at = script_position(words)
    if script_at is None:
        expanded = expand_words(words, environment)
        text = " ".join(word.text for word in expanded)
        command = SimpleCommand(expanded, "", environment)
        return ContainerScript(template, container, environment, text, (command,), None)
    script = words[script_at]
    if script is None:
        raise Undecided("its script is known only after the update")
    text = _readable(expand_script_references(script, environment), environment)
    commands: list[SimpleCommand] = []
    unread: str | None = None
    try:
        commands.extend(simple_commands(text, environment))
    except Undecided as reason:
        unread = str(reason)
    return ContainerScript(template, container, environment, text, tuple(commands), unread)


def _readable(script: str, environment: Environment) -> str:
    text = _HERE_DOCUMENT.sub(lambda match: match.group(3), script)
    return _PRODUCT.sub(lambda match: _product(match, environment), _with_functions_in_place(text))


def _with_functions_in_place(script: str) -> str:
    text = script
    for definition in islice(_FUNCTION.finditer(script), _MOST_FUNCTIONS):
        name, body = definition.group(2), definition.group(3)
        call = re.compile(rf"^[ \t]*{name}(?:[ \t]+([^\n]*))?$", re.MULTILINE)
        rest = text.replace(definition.group(0), "", 1)
        if call.search(rest) is not None and len(text) < _LONGEST_SCRIPT:
            text = call.sub(lambda match, body=body: _called(body, match.group(1) or ""), rest)
    return text


def _called(body: str, arguments: str) -> str:
    words = arguments.split()

    def argument(match: re.Match[str]) -> str:
        index = int(match.group(1)) - 1
        return words[index] if index < len(words) else ""

    return _POSITIONAL.sub(argument, body)


def _product(match: re.Match[str], environment: Environment) -> str:
    product = 1
    for factor in match.group(1).split("*"):
        name = factor.strip().strip("${}")
        word = Word(name) if name.isdigit() else environment.get(name, UNKNOWN_WORD)
        digits = word.text.strip()
        if not word.known or not digits.isascii() or not digits.isdigit() or len(digits) > _MOST_DIGITS:
            return match.group(0)
        product *= int(digits)
    return str(product) if len(str(product)) <= _MOST_DIGITS else match.group(0)
