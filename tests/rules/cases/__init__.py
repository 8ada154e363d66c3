"""Every case of every rule, a module for each theme."""

import importlib
from pathlib import Path

from tests.rules.case import Case, SettingsCase

_THEMES = [file.stem for file in sorted(Path(__file__).parent.glob("*.py")) if file.stem != "__init__"]
CASES: list[Case | SettingsCase] = []
for _theme in _THEMES:
    CASES += importlib.import_module(f"{__name__}.{_theme}").CASES
