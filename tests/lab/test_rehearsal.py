"""The life of a stack as `make rehearse STACK=name` plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from lab.directory import REPOSITORY
from lab.errors import LabError
from lab.rehearsal import SETTINGS, Step, rehearse
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

if TYPE_CHECKING:
    from pathlib import Path

LIFE = ["lab", "preview", "up", "up again", "refresh", "lift protection", "destroy"]


def played(stack: str, file: Path | None = None) -> dict[str, Step]:
    steps = list(rehearse(stack, print, file))
    return {step.name: step for step in steps}


def test_a_stack_that_has_no_file_is_named_with_those_that_have() -> None:
    with pytest.raises(LabError, match=r"there is no Pulumi\.nobody\.yaml; stacks are .*disagg-b200"):
        next(rehearse("nobody", print))


@pytest.mark.lab
@pytest.mark.slow
def test_a_shipped_stack_lives_from_preview_to_destroy_and_its_file_stays_as_it_is() -> None:
    before = (REPOSITORY / "Pulumi.disagg-b200.yaml").read_bytes()
    steps = played("disagg-b200")
    assert list(steps) == LIFE
    assert steps["up again"].changes == "no change"
    assert "create" in steps["up"].changes
    assert "delete" in steps["destroy"].changes
    assert (REPOSITORY / "Pulumi.disagg-b200.yaml").read_bytes() == before


@pytest.mark.lab
@pytest.mark.slow
@pytest.mark.parametrize("settings", [eks_b200_settings(), eks_gb200_settings()], ids=["b200", "gb200"])
def test_a_stack_makes_its_own_cluster_and_takes_it_down_again(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    # The class that the stack itself makes: nobody else has made one on a new cluster.
    settings["platform"]["nats"]["storageClassName"] = "gp3"
    pool = settings["nodePools"][0]
    # Names of zones differ from account to account; in the lab's this one has the machines.
    pool["zone"] = pool["zone"].replace("us-east-1b", "us-east-1a")
    file = tmp_path / "Pulumi.own.yaml"
    content = {"config": {"pulumi:disable-default-providers": ["*"], SETTINGS: settings}}
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    steps = played("own", file)
    assert list(steps) == LIFE
    assert steps["up again"].changes == "no change"
