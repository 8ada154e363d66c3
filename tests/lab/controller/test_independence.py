"""The cluster's inhabitants know Kubernetes and Dynamo, and nothing of this repository's product."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

LAB = Path(__file__).parents[3] / "lab"
ROOMS = ["controller", "dynamo_operator", "node_groups", "volume_provisioner", "fixtures"]
SOURCES = [
    path
    for room in ROOMS
    for path in sorted((LAB / room).rglob("*"))
    if path.is_file() and path.suffix != ".pyc"
]
MODULES = [
    *(path for path in SOURCES if path.suffix == ".py"),
    LAB / "custom_resources.py",
    LAB / "charts.py",
]
PRODUCT = {
    "cli",
    "components",
    "engines",
    "failures",
    "hardware",
    "operations",
    "policy",
    "recipes",
    "resource_graph",
    "rules",
    "stacks",
}
# In nodes.yaml the name of an upstream recipe is the source of a taint.
NAMES = {"gpt-oss", "gpt_oss", "openai"}


def imported(module: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(LAB)))
def test_nothing_is_imported_from_the_product(module: Path) -> None:
    assert not imported(module) & PRODUCT


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(LAB)))
def test_the_products_names_do_not_occur(source: Path) -> None:
    lines = source.read_text(encoding="utf-8").splitlines()
    settings = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    assert not [name for name in NAMES if name in settings]
