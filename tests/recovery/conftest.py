"""Stack dev, up and never disturbed, on a cluster of each file of tests: what every recovery must reach."""

from collections import Counter

import pytest

from tests.conftest import copy_project
from tests.recovery.interruption import objects
from tests.support.lab_stack import STACK, LabStack
from tests.support.sandbox import Sandbox


@pytest.fixture(scope="module")
def empty(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    """A stack that exists in the backend and holds nothing."""
    project = copy_project(tmp_path_factory.mktemp("project") / "checkout")
    stack = LabStack(own_lab, project)
    # A kill in the middle of a wait needs a wait: some runs begin while no node takes the workers.
    stack.change_serving(waitForRoom=True)
    own_lab.pulumi("stack", "init", STACK, cwd=project)
    return stack


@pytest.fixture(scope="module")
def before(empty: LabStack) -> Counter[str]:
    """What the cluster holds without the stack."""
    return objects(empty)


@pytest.fixture(scope="module")
def stack(empty: LabStack, before: Counter[str]) -> LabStack:
    """The stack, up; it goes with its cluster."""
    assert before
    empty.pulumi("up", "--yes", "--skip-preview")
    return empty


@pytest.fixture(scope="module")
def undisturbed(stack: LabStack) -> Counter[str]:
    """What it holds with the stack, after a run that nothing interrupted."""
    return objects(stack)
