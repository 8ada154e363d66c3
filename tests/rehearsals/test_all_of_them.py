"""No stack file goes out without a rehearsal."""

from __future__ import annotations

from pathlib import Path

from lab.directory import REPOSITORY
from stacks.stack_files import list_stacks

ON_A_CLUSTER_THAT_EXISTS = {"dev"}
"""Rehearsed in tests/lab/test_rehearsal.py."""


def test_every_stack_file_is_rehearsed() -> None:
    modules = set(Path(__file__).parent.glob("test_*.py")) - {Path(__file__)}
    rehearsed = {module.stem.removeprefix("test_").replace("_", "-") for module in modules}
    assert rehearsed | ON_A_CLUSTER_THAT_EXISTS == set(list_stacks(REPOSITORY))
