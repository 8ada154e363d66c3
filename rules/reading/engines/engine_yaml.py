"""An engine file's text as the engine's own YAML library loads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import yaml

_yaml: Any = yaml
# The engines load with yaml.safe_load; the parser in C gives the same in a tenth of the time.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAXIMUM_DEPTH = 100
"""No engine has settings as deep; the loader recurses in C, and a deep enough text ends the process."""
_MAXIMUM_VALUES = 100_000
"""More than any engine has settings for; a few hundred bytes of nested aliases can stand for more."""
_REMEMBERED = 16_384
"""As many texts as a large program has: when every rule reads them all, a smaller memory helps none."""


@dataclass(frozen=True, slots=True)
class EngineYaml:
    """What the text holds, or why it cannot be loaded."""

    content: object = None
    problem: str | None = None
    line: int | None = None
    """Of the problem, counted from 1; None where it has no place."""


@lru_cache(maxsize=_REMEMBERED)
def load_engine_yaml(text: str) -> EngineYaml:
    """Load the text; nobody may change what it returns."""
    try:
        has_aliases = "*" in text
        if has_aliases or _may_be_deep(text):
            _check_depth(text)
        content: object = _yaml.load(text, Loader=_Loader)
        if has_aliases:
            _check_size(content, _MAXIMUM_DEPTH)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        return EngineYaml(problem=str(error.problem or error.context), line=line)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        return EngineYaml(problem=str(error).partition("\n")[0])
    return EngineYaml(content)


def _may_be_deep(text: str) -> bool:
    # Each level costs an opening bracket, a dash, a question mark or a blank before a line's first word.
    marks = sum(text.count(mark) for mark in "[{-?")
    return marks + max(len(line) - len(line.lstrip()) for line in text.split("\n")) >= _MAXIMUM_DEPTH


def _check_depth(text: str) -> None:
    """Raise ValueError where the text is nested too deeply."""
    depth = 0
    for event in _yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAXIMUM_DEPTH:
                raise ValueError(f"nested too deeply, more than {_MAXIMUM_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _check_size(value: object, depth: int, counted: int = 0) -> int:
    """Count the values with every alias written out; raise ValueError where nobody could read them all."""
    if depth == 0 or counted > _MAXIMUM_VALUES:
        raise ValueError("its aliases contain themselves, or stand for more values than anybody can read")
    counted += 1
    if isinstance(value, Mapping):
        children: Sequence[object] = list(cast("Mapping[object, object]", value).values())
    elif isinstance(value, list):
        children = cast("list[object]", value)
    else:
        return counted
    for child in children:
        counted = _check_size(child, depth - 1, counted)
    return counted
