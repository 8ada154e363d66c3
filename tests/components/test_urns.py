"""The URN of every resource of every shipped stack, as committed: a changed one replaces what is deployed."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.directory import REPOSITORY
from resource_graph.recorder import record
from stacks.program import deploy
from stacks.reading.load import list_stacks, load_stack
from stacks.resolve import resolve

PROJECT = "dynamo-stack"
COMMITTED = Path(__file__).parent / "urns"


def _committed(name: str) -> list[str]:
    return (COMMITTED / f"{name}.txt").read_text(encoding="utf-8").split()


def _recorded(name: str) -> list[str]:
    stack = resolve(name, load_stack(name, REPOSITORY), f"Pulumi.{name}.yaml")
    urns = [resource.urn for resource in record(lambda: deploy(stack), project=PROJECT, stack=name)]
    # The engine's own: the provider through which the program reads what the last run recorded as fixed.
    return sorted([*urns, f"urn:pulumi:{name}::{PROJECT}::pulumi:providers:pulumi::default"])


@pytest.mark.parametrize("name", list_stacks(REPOSITORY))
def test_no_shipped_stack_registers_other_urns_than_those_that_are_committed(name: str) -> None:
    assert _recorded(name) == _committed(name)


def test_every_shipped_stack_and_no_other_has_a_list() -> None:
    assert sorted(file.stem for file in COMMITTED.glob("*.txt")) == list_stacks(REPOSITORY)
