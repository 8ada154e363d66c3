"""Pydantic's findings in the words of a person who edits a stack file."""

import re
from collections.abc import Mapping
from types import NoneType

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from resource_graph.printable import dotted
from resource_graph.spelling import nearest
from stacks.errors import Problem
from stacks.settings.setting_places import Place, blocks_of, fields_of, kind_of, place_of
from stacks.wording import alternatives

_LIMITS = {
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "{ge} or more",
    "less_than": "less than {lt:g}",
    "less_than_equal": "{le} or less",
    "too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
    "string_too_short": "at least {min_length} character",
    "string_too_long": "at most {max_length} characters",
}
_MANY_KEYS = 20
_FEW = 3
"""Blocks that a key can be looked for in."""
_JSON_TYPES: Mapping[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "a mapping",
    NoneType: "nothing",
}
_GONE = frozenset(
    {
        *("platform.graphApi", "runtime.otherVersions", "benchmark.artifactsDirectory", "benchmark.image"),
        *("benchmark.connectionsPerWorker", "benchmark.localPorts", "benchmark.packages", "benchmark.ui"),
        *("benchmark.repetitionPenalty", "benchmark.resources", "benchmark.retries", "benchmark.temperature"),
        "benchmark.waitForModel",
    }
)
"""Settings that files may still have and nothing reads. Other blocks have some of these keys, and would be
named as the place for them."""
_POSITION = re.compile(r"\[\d+\]")


def problems_of(error: ValidationError, root: type[BaseModel]) -> tuple[Problem, ...]:
    """Return one problem for each mistake in a file of this model, in pydantic's order."""
    return tuple(
        _problem(finding, root) for finding in error.errors(include_url=False) if not _follows(finding)
    )


def _follows(finding: ErrorDetails) -> bool:
    """Whether a list counts as too short because what it holds is wrong."""
    return finding["type"] == "too_short" and len(finding["input"]) >= finding.get("ctx", {})["min_length"]


def _problem(finding: ErrorDetails, root: type[BaseModel]) -> Problem:
    place = place_of(root, finding["loc"])
    match finding["type"]:
        case "extra_forbidden":
            return _unknown_key(finding, root)
        case "missing":
            return Problem(str(place), None, "is missing", allowed=place.takes)
        case "union_tag_not_found" | "union_tag_invalid":
            return _kind_problem(place, finding["input"])
        case "literal_error":
            return _unknown_word(place_of(root, place.path), finding["input"])
        case kind if kind in _LIMITS:
            allowed = _LIMITS[kind].format(**finding.get("ctx", {}))
            shown = None if place.is_key else finding["input"]
            return Problem(str(place), shown, "out of range", allowed=allowed)
        case _:
            return _wrong_value(finding, place)


def _wrong_value(finding: ErrorDetails, place: Place) -> Problem:
    value: object = finding["input"]
    shown = None if place.is_key else value
    suggestion = None
    match finding["type"]:
        case "string_pattern_mismatch":
            message = f"{'the key is ' if place.is_key else ''}not written as this setting has to be"
            suggestion = place.form.intention(str(value))
        case "value_error":
            # What a validator of the settings says itself; of a mapping as a whole it says all.
            message = finding["msg"].removeprefix("Value error, ")
            if isinstance(value, Mapping):
                return Problem(str(place), None, message)
        case "string_type" if isinstance(value, int | float):
            kind = _JSON_TYPES[type(value)]
            message = f"this is {kind} to YAML, which may not keep what was typed; text is needed"
            suggestion = "put it in quotes"
        case _:
            message = f"this is {_JSON_TYPES[type(value)]}"
            if isinstance(value, str) and value.isdigit():
                suggestion = f"{value}, without quotes"
    return Problem(str(place), shown, message, allowed=place.takes, suggestion=suggestion)


def _unknown_word(place: Place, value: object) -> Problem:
    words = [str(word) for word in place.words]
    suggestion = nearest(value, words) if isinstance(value, str) else None
    if str(value) in words:
        # A number for text, or text for a number.
        suggestion = f"{value}, without quotes" if isinstance(value, str) else "put it in quotes"
    return Problem(str(place), value, "not one of the known values", place.takes, suggestion)


def _kind_problem(place: Place, explicit: Mapping[str, object]) -> Problem:
    """Say what is wrong where `kind` is missing or unknown in the mapping."""
    kinds = place.kinds
    key, allowed = f"{place}.kind", alternatives(list(kinds))
    if "kind" not in explicit:
        return Problem(key, None, "is missing", allowed=allowed)
    kind = explicit["kind"]
    return Problem(key, kind, "not one of the known kinds", allowed, suggestion=nearest(str(kind), kinds))


def _unknown_key(finding: ErrorDetails, root: type[BaseModel]) -> Problem:
    *around, last = finding["loc"]
    block, key = place_of(root, tuple(around)), str(last)
    full = dotted((*block.path, key))
    if full in _GONE:
        return Problem(full, _shown(finding["input"]), "this setting went", suggestion="leave it out")
    known = [each for model in block.models for each in fields_of(model)]
    message, homes = f"there is no setting {key!r} here", _homes(block, key, root)
    if 0 < len(homes) <= _FEW:
        message += f"; it belongs to {alternatives(homes)}"
    near = None if homes else nearest(key, known)
    allowed = ", ".join(known) if len(known) <= _MANY_KEYS else "one of those in docs/settings.md"
    return Problem(full, _shown(finding["input"]), message, allowed, near)


def _homes(block: Place, key: str, root: type[BaseModel]) -> list[str]:
    """Return the blocks that know the key: other kinds of this one and those in it, or else any."""
    here = _POSITION.sub("[]", str(block))
    known = [(path, model) for path, model in blocks_of(root) if key in fields_of(model)]
    inner = [(path, model) for path, model in known if path.startswith(here)]
    names = (
        f"{path} of kind {kind_of(model)}" if path == here else path or "the outermost block"
        for path, model in inner or known
    )
    return list(dict.fromkeys(names))


def _shown(value: object) -> object:
    return None if isinstance(value, Mapping | list) else value
