"""docs/conformance.md and this folder say the same."""

import ast
import re
from pathlib import Path

from lab.directory import REPOSITORY

_ROW = re.compile(
    r"^\| `(?P<file>test_\w+)::(?P<test>test_\w+)` \| (?P<behaviour>[^|]+) \| (?P<date>[\d-]+) "
    r"\| (?P<stand_in>[^|]+) \| (?P<vendor>[^|]+) \|$",
    re.MULTILINE,
)


def test_every_conformance_test_has_a_row_and_every_row_a_test() -> None:
    rows = [f"{row['file']}::{row['test']}" for row in _rows()]
    assert sorted(rows) == sorted(set(rows))
    assert set(rows) == _tests()


def test_every_test_that_is_named_as_a_source_exists() -> None:
    text = (REPOSITORY / "docs" / "conformance.md").read_text()
    _, others = text.split("\n# What the other stand-ins were held against\n")
    for test in re.findall(r"`(?:[\w/]+/)?(test_\w+)(?:\.py)?`", others):
        assert list((REPOSITORY / "tests").rglob(f"{test}.py")), test


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
