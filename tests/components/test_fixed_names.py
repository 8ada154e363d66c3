"""No object is named by the engine: one that a killed run has made could never be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.directory import REPOSITORY
from stacks.stack_files import list_stacks
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_stack

if TYPE_CHECKING:
    from resource_graph import ResourceGraph

PROVIDED = "kubernetes:"


def _recorded(name: str) -> ResourceGraph:
    return recorded_stack(shipped_stack(name))


@pytest.mark.parametrize("name", list_stacks(REPOSITORY))
def test_every_object_and_every_release_has_a_fixed_name(name: str) -> None:
    resources = [each for each in _recorded(name) if each.type.startswith(PROVIDED)]
    assert resources
    unnamed = [
        each.urn
        for each in resources
        if not isinstance(each.object_name if each.kind else each.inputs.get("name"), str)
    ]
    assert unnamed == []
