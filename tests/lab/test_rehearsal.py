"""The life of a stack as `make rehearse STACK=name` plays it."""

import pytest

from lab.directory import REPOSITORY
from lab.errors import LabError
from lab.rehearsal import rehearsal

FILE = REPOSITORY / "Pulumi.dev.yaml"


def test_a_stack_that_has_no_file_is_named_with_those_that_have() -> None:
    with (
        pytest.raises(LabError, match=r"there is no Pulumi\.nobody\.yaml; stacks are .*disagg-b200-tcp"),
        rehearsal("nobody"),
    ):
        pytest.fail("it is rehearsed")


@pytest.mark.lab
@pytest.mark.slow
def test_stack_dev_lives_from_preview_to_destroy_on_a_cluster_that_exists_and_its_file_stays() -> None:
    before = FILE.read_bytes()
    with rehearsal("dev") as run:
        steps = {step.name: step for step in (*run.building(print), *run.removing())}
    assert list(steps) == ["lab", "preview", "up", "up again", "refresh", "destroy"]
    assert steps["up again"].changes == "no change"
    assert "create" in steps["up"].changes
    assert "delete" in steps["destroy"].changes
    assert FILE.read_bytes() == before
