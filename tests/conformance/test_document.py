"""docs/conformance.md and this folder say the same."""

from __future__ import annotations

import ast
import datetime as dt
import re
from pathlib import Path

from lab.directory import REPOSITORY

_ROW = re.compile(
    r"^\| `(?P<file>test_\w+)::(?P<test>test_\w+)` \| (?P<behaviour>[^|]+) \| (?P<date>[\d-]+) "
    r"\| (?P<stand_in>[^|]+) \| (?P<vendor>[^|]+) \|$",
    re.MULTILINE,
)
_VERDICTS = {"pass", "fail", "not run here", "does not apply"}


def test_every_conformance_test_has_a_row_and_every_row_a_test() -> None:
    rows = [f"{row['file']}::{row['test']}" for row in _rows()]
    assert sorted(rows) == sorted(set(rows))
    assert set(rows) == _tests()


def test_every_row_is_dated_and_says_for_both_columns_what_was_run() -> None:
    for row in _rows():
        assert dt.date.fromisoformat(row["date"]) <= dt.datetime.now(dt.UTC).date()
        assert {row["stand_in"], row["vendor"]} <= _VERDICTS
        assert row["behaviour"].strip()


def _rows() -> list[dict[str, str]]:
    text = (REPOSITORY / "docs" / "conformance.md").read_text()
    return [found.groupdict() for found in _ROW.finditer(text)]


def _tests() -> set[str]:
    found: set[str] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        if path == Path(__file__):
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found.add(f"{path.stem}::{node.name}")
    return found
