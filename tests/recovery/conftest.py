"""Stack dev, up and never disturbed, for each file of tests: what every recovery must reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import copy_project
from tests.recovery.interruption import objects
from tests.support.lab_stack import STACK, LabStack

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from tests.support.sandbox import Sandbox


@pytest.fixture(scope="module")
def empty(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    """A stack that exists in the backend and holds nothing."""
    project = copy_project(tmp_path_factory.mktemp("project") / "checkout")
    lab.pulumi("stack", "init", STACK, cwd=project)
    return LabStack(lab, project)


@pytest.fixture(scope="module")
def before(empty: LabStack) -> Counter[str]:
    """What the cluster holds without the stack."""
    return objects(empty)


@pytest.fixture(scope="module")
def stack(empty: LabStack, before: Counter[str]) -> Iterator[LabStack]:
    """The stack, up; whatever a test leaves is taken down."""
    assert before
    original = (empty.project / "Pulumi.dev.yaml").read_text()
    empty.pulumi("up", "--yes", "--skip-preview")
    yield empty
    (empty.project / "Pulumi.dev.yaml").write_text(original)
    empty.dynamo_stack("recover", STACK, "--destroy", "--yes")
    empty.pulumi("stack", "rm", "--yes", "--preserve-config")


@pytest.fixture(scope="module")
def undisturbed(stack: LabStack) -> Counter[str]:
    """What it holds with the stack, after a run that nothing interrupted."""
    return objects(stack)
