"""`explain` of a model cache that only some nodes have, or that is far from those that load it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import squeezed, write_stack
from tests.stacks.plan.test_cache_problems import on_disk, on_nodes
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command


@pytest.fixture
def explain(command: Command, tmp_path: Path) -> Any:
    def explained(settings: dict[str, Any]) -> str:
        write_stack(tmp_path, settings)
        answer = command("explain", "dev", "--all", folder=tmp_path)
        assert (answer.code, answer.err) == (0, "")
        return squeezed(answer.out)

    return explained


def test_a_disk_is_shown_with_its_speed_and_what_has_to_run_beside_it(explain: Any) -> None:
    shown = explain(on_disk(eks_b200_settings()))
    assert "model cache: an EBS disk of the one GPU node, gp3, 1000 MiB/s; frontends run there too" in shown
    assert "4 to 8 16Gi the workers' nodes" in shown
    assert "PLACEMENT Frontend, TrtllmPrefillWorker" in shown


def test_copies_are_shown_with_their_directory_and_destroy_leaves_none(explain: Any) -> None:
    shown = explain(on_nodes(eks_gb200_settings()))
    assert "a copy on each GPU node's own disks, /mnt/k8s-disks/0/gpt-oss-model-cache; front" in shown
    assert "PersistentVolumeClaim model-cache" not in shown


def test_a_file_system_in_the_region_is_far_from_a_local_zone(explain: Any) -> None:
    far = "in every zone of the region above (slow from the Local Zone)"
    assert far in explain(eks_gb200_settings())
    settings = eks_b200_settings()
    settings["modelCache"] = {"size": "150Gi", "storage": {"kind": "efs"}}
    assert "(slow from the Local Zone)" not in explain(settings)


def test_a_volume_that_exists_is_of_no_class(explain: Any) -> None:
    settings = eks_b200_settings()
    del settings["modelCache"]
    settings["model"] = {"source": {"kind": "existingVolume", "claimName": "models"}}
    assert "model cache: a volume that exists; the rest: gp3 disks" in explain(settings)
