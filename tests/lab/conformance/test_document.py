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
_KNOWN_ROW = re.compile(
    r"^\| (?P<behaviour>[^|]+) \| (?P<known>[^|]+) \| (?P<date>[\d-]+) \| (?P<source>[^|]+) \|$", re.MULTILINE
)
_KNOWN_HOW = {"recorded", "read", "not known"}
_VERDICTS = {"pass", "fail", "not known"}


def test_every_conformance_test_has_a_row_and_every_row_a_test() -> None:
    rows = [f"{row['file']}::{row['test']}" for row in _rows()]
    assert sorted(rows) == sorted(set(rows))
    assert set(rows) == _tests()


def test_every_row_is_dated_and_says_for_both_columns_what_was_run() -> None:
    for row in _rows():
        assert dt.date.fromisoformat(row["date"]) <= dt.datetime.now(dt.UTC).date()
        assert {row["stand_in"], row["vendor"]} <= _VERDICTS
        assert row["behaviour"].strip()


def test_every_stand_in_that_cannot_be_run_beside_the_real_one_says_how_each_behaviour_is_known() -> None:
    known = _known_how()
    assert set(known) == {
        "The Dynamo operator",
        "NVIDIA's DRA driver",
        "Charts",
        "The AWS account",
        "The AWS provider",
        "The Python language host",
        "The aws command",
        "Machines of node groups",
        "Volumes",
        "The kubelet, its containers and the proxy of Services",
    }
    for rows in known.values():
        assert {row["known"] for row in rows} <= _KNOWN_HOW
        for row in rows:
            assert dt.date.fromisoformat(row["date"]) <= dt.datetime.now(dt.UTC).date()
            assert row["source"].strip()
            for test in re.findall(r"`(test_\w+)`", row["source"]):
                assert list((REPOSITORY / "tests").rglob(f"{test}.py")), test


def _known_how() -> dict[str, list[dict[str, str]]]:
    """Rows by the stand-in's heading."""
    text = (REPOSITORY / "docs" / "conformance.md").read_text()
    _, *sections = text.split("\n# What the other stand-ins were held against\n")[1].split("\n## ")
    return {
        section.partition("\n")[0]: [row.groupdict() for row in _KNOWN_ROW.finditer(section)]
        for section in sections
    }


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
