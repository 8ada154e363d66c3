"""The doctor's first line about a stack in the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.lab_stack import LabStack


def sick(stack: LabStack) -> str:
    """What the first line names; the exit code says that something is wrong."""
    answer = stack.dynamo_stack("doctor", stack.name, check=False)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    line = answer.stdout.splitlines()[0]
    assert line.startswith(f"stack {stack.name} is sick: "), line
    return line


def healthy(stack: LabStack) -> str:
    """What the first line says of a stack that answers."""
    answer = stack.dynamo_stack("doctor", stack.name, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    line = answer.stdout.splitlines()[0]
    assert line.startswith(f"stack {stack.name} is healthy: it answered from a mock engine in "), line
    return line
