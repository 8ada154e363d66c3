"""Pydantic's findings in the words of a person who edits a stack file."""

import difflib
import re
from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from resource_graph.spelling import nearest
from stacks.errors import Problem
from stacks.settings.key_depth import depth_problem, home_of, homes_below, too_deep
from stacks.settings.setting_places import Location, Place, keys_of, kind_of, place_of
from stacks.settings.setting_types import UNQUOTED_DATE, UTC_TIME
from stacks.wording import alternatives

_TAKES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
}
"""Pydantic's error for a wrong type -> what the setting takes."""

_LIMITS = {
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "{ge} or more",
    "less_than": "less than {lt:g}",
    "less_than_equal": "{le} or less",
    "too_short": "at least {min_length} {items}",
    "too_long": "at most {max_length} items",
    "string_too_short": "at least {min_length} character",
    "string_too_long": "at most {max_length} characters",
}

_MANY_KEYS = 18
_POOL_NODES = re.compile(r"nodePools\[\d+\]\.nodes")


def problems_of(error: ValidationError, root: type[BaseModel]) -> tuple[Problem, ...]:
    """Return one problem for each mistake in a file of this model, in pydantic's order."""
    findings = error.errors(include_url=False)
    places = [place_of(root, finding["loc"]) for finding in findings]
    pairs = list(zip(findings, places, strict=True))
    deep = too_deep(pairs)
    return tuple(
        _problem(finding, place)
        for finding, place in pairs
        if not _follows_from_another(finding, place, pairs)
        and not any(each.explains(finding, place) for each in deep)
    )


def _follows_from_another(
    finding: ErrorDetails, place: Place, pairs: list[tuple[ErrorDetails, Place]]
) -> bool:
    if finding["type"] == "too_short":
        # A list counts as too short when what it holds is wrong.
        return len(finding["input"]) >= finding.get("ctx", {})["min_length"]
    if not place.in_union:
        return False
    # A union of words and a mapping reports both; the value tells which of them was meant.
    is_mapping = isinstance(finding["input"], Mapping)
    if place.models and finding["type"] == "model_type":
        return any(other is not place and other.path == place.path for _, other in pairs)
    return is_mapping and finding["type"] == "literal_error"


def _problem(finding: ErrorDetails, place: Place) -> Problem:
    value: object = finding["input"]
    match finding["type"]:
        case "extra_forbidden":
            problem = _unknown_key(finding["loc"], place, value)
        case "missing":
            problem = Problem(str(place), None, "is missing", allowed=_meaning(place))
        case "union_tag_not_found" | "union_tag_invalid":
            problem = _kind_problem(place, value)
        case "dict_type" | "model_type" | "model_attributes_type":
            problem = _no_mapping(place, value)
        case "string_type" if isinstance(value, int | float):
            problem = _unquoted(place, value)
        case "value_error" | "string_pattern_mismatch" if UNQUOTED_DATE.match(str(value)):
            problem = _unquoted_date(place, str(value))
        case "value_error":
            problem = _refused(finding, place)
        case "literal_error":
            problem = _unknown_word(place, value)
        case _:
            problem = _wrong_value(finding, place)
    return problem


def _refused(finding: ErrorDetails, place: Place) -> Problem:
    """Hand on what a validator of the settings says itself."""
    message = finding["msg"].removeprefix("Value error, ")
    if isinstance(finding["input"], Mapping | list):
        return Problem(str(place), None, message)
    return Problem(str(place), finding["input"], message, allowed=_meaning(place))


def _wrong_value(finding: ErrorDetails, place: Place) -> Problem:
    value: object = finding["input"]
    kind, context = finding["type"], finding.get("ctx", {})
    suggestion = None
    if kind == "string_pattern_mismatch":
        message, suggestion = "not written as this setting has to be", place.form.intention(str(value))
        if place.is_key:
            message = "the key is not written as it has to be"
        allowed = place.form.words
    elif kind in _TAKES:
        message, allowed = f"this is {_in_words(value)}", _TAKES[kind]
        if isinstance(value, str) and value.isdigit():
            suggestion = f"{value}, without quotes"
    else:
        items = "item" if context.get("min_length") == 1 else "items"
        message, allowed = "out of range", _LIMITS.get(kind, finding["msg"]).format(items=items, **context)
    if value == 0 and kind == "greater_than_equal" and _POOL_NODES.fullmatch(str(place)):
        suggestion = "remove the pool from nodePools, with what names it"
    shown = None if place.is_key else value
    return Problem(str(place), shown, message, allowed=allowed, suggestion=suggestion)


def _unknown_word(place: Place, value: object) -> Problem:
    # A union names the place twice; only the words are in this one, so look at the setting as a whole.
    mapping = _mapping_beside_words(place)
    words = [str(word) for word in place.words]
    numbers = all(isinstance(word, int) for word in place.words)
    allowed = alternatives([*words, mapping] if mapping else words)
    message = "not one of the possible numbers" if numbers else "not one of the known words"
    suggestion = nearest(str(value), words)
    if suggestion == str(value) and not isinstance(value, str):
        suggestion = f'quote it, as in "{value}"'
    if numbers:
        suggestion = f"{value}, without quotes" if isinstance(value, str) and value in words else None
    return Problem(str(place), value, message, allowed=allowed, suggestion=suggestion)


def _mapping_beside_words(place: Place) -> str | None:
    if not place.in_union:
        return None
    models = place_of(place.root, place.path).models
    return f"a mapping with {', '.join(keys_of(models[0]))}" if models else None


def _no_mapping(place: Place, value: object) -> Problem:
    message = f"this is {_in_words(value)}"
    if not place.kinds:
        return Problem(str(place), value, message, allowed="a mapping")
    allowed = f"a mapping with kind: {alternatives(list(place.kinds))}"
    suggestion = (
        f"{place.path[-1]}: {{kind: {value}, …}}" if isinstance(value, str) and value in place.kinds else None
    )
    return Problem(str(place), value, message, allowed=allowed, suggestion=suggestion)


def _kind_problem(place: Place, value: object) -> Problem:
    """Say what is wrong where `kind` is missing or unknown in the mapping."""
    explicit: Mapping[str, object] = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
    kinds = place.kinds
    allowed = alternatives(list(kinds))
    key = f"{place}.kind"
    if "kind" in explicit:
        kind = explicit["kind"]
        return Problem(key, kind, "not one of the known kinds", allowed, suggestion=nearest(str(kind), kinds))
    meant = _kind_with_keys(kinds, set(explicit))
    suggestion = f"kind: {meant}, to which the other keys belong" if meant else None
    return Problem(key, None, "is missing", allowed, suggestion)


def _foreign_key_problem(union: Place, chosen: Place, key: str, value: object) -> Problem | None:
    """Say that another kind has the key; None where no kind knows it."""
    own = [key for model in chosen.models for key in keys_of(model)]
    kinds = [kind for kind, model in union.kinds.items() if key in keys_of(model)]
    if not kinds or not chosen.models:
        return None
    kind = kind_of(chosen.models[0])
    return Problem(
        f"{union}.{key}",
        value,
        f"kind {kind} has no {key!r}; kind {alternatives(kinds)} has",
        allowed=", ".join(own),
        suggestion=f"leave {key} out, or write kind: {kinds[0]}",
    )


def _kind_with_keys(kinds: Mapping[str, type[BaseModel]], keys: set[str]) -> str | None:
    fitting = [kind for kind, model in kinds.items() if keys and keys <= set(keys_of(model))]
    return fitting[0] if len(fitting) == 1 else None


def _unknown_key(location: Location, place: Place, value: object) -> Problem:
    parent = place_of(place.root, location[:-1])
    key = str(location[-1])
    shown = None if isinstance(value, Mapping | list) else value
    union = place_of(place.root, location[:-2]) if len(location) > 1 else parent
    known = [key for model in parent.models for key in keys_of(model)]
    if len(union.models) > 1:
        problem = _foreign_key_problem(union, parent, key, shown)
        if problem is not None:
            return problem
    if home := home_of(place):
        return depth_problem(place, home, shown)
    return Problem(
        str(place),
        shown,
        f"there is no setting {key!r} here",
        allowed=_some_of(key, known),
        suggestion=nearest(key, known) or alternatives(homes_below(place)),
    )


def _some_of(key: str, known: list[str]) -> str:
    """Return the keys, or of very many those that resemble the unknown one."""
    if len(known) <= _MANY_KEYS:
        return ", ".join(known)
    alike = difflib.get_close_matches(key, known, n=5, cutoff=0.0)
    return f"{', '.join(alike)} and {len(known) - len(alike)} more, all in docs/settings.md"


def _unquoted(place: Place, value: object) -> Problem:
    message = f"this is {_in_words(value)} to YAML, which may not keep what was typed; text is needed"
    form = place.form
    example = form.example.format(str(value).lower())
    return Problem(str(place), value, message, allowed=form.words, suggestion=f'quote it, as in "{example}"')


def _unquoted_date(place: Place, value: str) -> Problem:
    message = "this is a date to YAML, which rewrites it; text is needed"
    date, _, time = value.partition(" ")
    if place.form is UTC_TIME:
        date = f"{date}T{time[:8]}Z"
    words = place.form.words
    return Problem(str(place), value, message, allowed=words, suggestion=f'quote it, as in "{date}"')


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else "a mapping"


def _meaning(place: Place) -> str | None:
    """Say what a setting that is not there would hold, from its type."""
    if place.words:
        return alternatives([str(word) for word in place.words])
    if len(place.kinds) > 1:
        return f"a mapping with kind: {alternatives(list(place.kinds))}"
    if place.models and str not in place.choices:
        return "a mapping with " + ", ".join(keys_of(place.models[0]))
    return place.form.words if place.form.pattern else _type_in_words(place)


def _type_in_words(place: Place) -> str | None:
    plain: dict[Any, str] = {int: "a whole number", bool: "true or false", str: "text"}
    return next((plain[choice] for choice in place.choices if choice in plain), None)
