"""Reads a file of thresholds, and says what is wrong with it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from operations.benchmark.thresholds import AtLeast, AtMost, Threshold, Thresholds
from stacks.errors import Problem, SettingsError
from stacks.nearest import nearest
from stacks.settings.yaml_file import YamlProblemError, parse_yaml

_MODELS: Mapping[str, type[BaseModel]] = {"thresholds": Threshold, "atLeast": AtLeast, "atMost": AtMost}
"""Key -> the model of what stands below it."""
_ALLOWED = {
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "tokens of prompt and answer, such as 8192/1024",
    "string_pattern_mismatch": "tokens of prompt and answer, such as 8192/1024",
    "greater_than": "more than 0",
    "greater_than_equal": "0 or more",
    "tuple_type": "a list of mappings with shape, and atLeast or atMost",
    "too_short": "at least one threshold",
}


def load_thresholds(file: Path) -> Thresholds:
    """Return the thresholds of a YAML file.

    Raises:
        SettingsError: all that is wrong with it.

    """
    try:
        document: object = parse_yaml(file.read_text(encoding="utf-8"))
    except YamlProblemError as error:
        place = f"{file}:{error.line}" if error.line else str(file)
        raise SettingsError({place: [Problem("", None, f"not a file of thresholds: {error}")]}) from None
    except UnicodeDecodeError as error:
        message = f"not a file of thresholds: not UTF-8 text (byte {error.start})"
        raise SettingsError({str(file): [Problem("", None, message)]}) from None
    except OSError as error:
        raise SettingsError({str(file): [Problem("", None, f"cannot be read: {error.strerror}")]}) from None
    if not isinstance(document, Mapping):
        problem = Problem("", None, "not a file of thresholds", allowed="a mapping with the key thresholds")
        raise SettingsError({str(file): [problem]})
    try:
        # As JSON, because pydantic's strict mode takes a list for a tuple only there.
        return Thresholds.model_validate_json(json.dumps(document))
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise SettingsError({str(file): [_problem(each) for each in found if _is_own(each, found)]}) from None


def _is_own(finding: ErrorDetails, all_of_them: Sequence[ErrorDetails]) -> bool:
    """Whether a finding is no more than the consequence of another: an emptied list is too short."""
    below = finding["loc"]
    return finding["type"] != "too_short" or not any(
        other["loc"][: len(below)] == below and other is not finding for other in all_of_them
    )


def _problem(finding: ErrorDetails) -> Problem:
    *parents, last = finding["loc"]
    key, value = _dotted(finding["loc"]), cast("object", finding["input"])
    shown = None if isinstance(value, Mapping | list) else value
    match finding["type"]:
        case "extra_forbidden":
            known = _keys(parents)
            message, suggestion = f"there is no {str(last)!r} here", nearest(str(last), known)
            return Problem(key, shown, message, allowed=", ".join(known), suggestion=suggestion)
        case "missing":
            kind = "tuple_type" if last == "thresholds" else "string_type"
            return Problem(key, None, "is missing", allowed=_ALLOWED[kind])
        case "model_type":
            return Problem(key, shown, "must be a mapping", allowed=", ".join(_keys(finding["loc"])))
        case "value_error":
            error = finding.get("ctx", {})["error"]
            allowed = ", ".join((*_keys(["atLeast"]), *_keys(["atMost"])))
            return Problem(key, None, str(error), allowed=allowed)
        case kind:
            return Problem(key, shown, "cannot be used here", allowed=_ALLOWED.get(kind, finding["msg"]))


def _keys(location: Sequence[int | str]) -> list[str]:
    """The keys that may stand below a location."""
    words = [part for part in location if isinstance(part, str)]
    model = _MODELS[words[-1]] if words else Thresholds
    return [field.alias or name for name, field in model.model_fields.items()]


def _dotted(location: Sequence[int | str]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")
