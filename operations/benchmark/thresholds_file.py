"""Reads a file of thresholds, and says what is wrong with it."""

import json
from pathlib import Path

from pydantic import ValidationError

from operations.benchmark.thresholds import Thresholds
from stacks.errors import Problem, SettingsError
from stacks.settings.explain_validation import problems_of
from stacks.settings.yaml_file import YamlProblemError, parse_yaml


def load_thresholds(file: Path) -> Thresholds:
    """Return the thresholds of a YAML file.

    Raises:
        SettingsError: all that is wrong with it.

    """
    try:
        document: object = parse_yaml(file.read_text(encoding="utf-8"))
        # As JSON, because pydantic's strict mode takes a list for a tuple only there.
        return Thresholds.model_validate_json(json.dumps(document))
    except ValidationError as error:
        raise SettingsError({str(file): problems_of(error, Thresholds)}) from None
    except YamlProblemError as error:
        place = f"{file}:{error.line}" if error.line else str(file)
        raise SettingsError({place: [Problem("", None, f"not a file of thresholds: {error}")]}) from None
    except UnicodeDecodeError as error:
        message = f"not a file of thresholds: not UTF-8 text (byte {error.start})"
        raise SettingsError({str(file): [Problem("", None, message)]}) from None
    except OSError as error:
        raise SettingsError({str(file): [Problem("", None, f"cannot be read: {error.strerror}")]}) from None
