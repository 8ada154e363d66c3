"""The URN of every resource of every shipped stack, as committed: a changed one replaces what is deployed."""

import pytest

from lab.directory import REPOSITORY
from stacks.stack_files import list_stacks
from tests.components.committed_urns import FOLDER, committed_urns, recorded_urns


@pytest.mark.parametrize("name", list_stacks(REPOSITORY))
def test_no_shipped_stack_registers_other_urns_than_those_that_are_committed(name: str) -> None:
    assert recorded_urns(name) == committed_urns(name)


def test_every_shipped_stack_and_no_other_has_a_list() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.txt")) == list_stacks(REPOSITORY)
