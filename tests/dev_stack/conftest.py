"""Stack dev, brought up once for each file of tests and taken down after it."""

from collections.abc import Iterator

import pytest

from tests.conftest import copy_project
from tests.support.lab_stack import STACK, LabStack, inventory
from tests.support.sandbox import Sandbox


@pytest.fixture(scope="module")
def empty_cluster(lab: Sandbox) -> dict[str, tuple[str, int | None]]:
    """What the cluster held before the stack."""
    return inventory(lab)


@pytest.fixture(scope="module")
def stack(
    lab: Sandbox, empty_cluster: dict[str, tuple[str, int | None]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LabStack]:
    """A stack that exists in the backend and holds nothing yet; whatever a test leaves is taken down."""
    assert empty_cluster
    project = copy_project(tmp_path_factory.mktemp("project") / "checkout")
    dev = LabStack(lab, project)
    lab.pulumi("stack", "init", STACK, cwd=project)
    original = (project / "Pulumi.dev.yaml").read_text()
    yield dev
    (project / "Pulumi.dev.yaml").write_text(original)
    for switch in lab.directory.switches.iterdir():
        switch.unlink()
    dev.pulumi("cancel", "--yes", check=False)
    dev.pulumi("destroy", "--yes")
    dev.pulumi("stack", "rm", "--yes", "--preserve-config")
