"""A model on the nodes' own disks, rehearsed: who is filled, who waits, and where everything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from lab.directory import REPOSITORY
from lab.environment import sealed_environment
from lab.rehearsal import rehearsal
from tests.serving_stacks.pods import nodes_of, pods_of
from tests.support.sandbox import Sandbox
from tests.support.shipped_stacks import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.lab, pytest.mark.slow]

STACK, NAMESPACE = "disagg-gb200", "gpt-oss"
NODES = [f"{STACK}-gb200-{number}" for number in range(2)]


@pytest.fixture(scope="module")
def lab(engine: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    assert engine
    file = _file(tmp_path_factory.mktemp("file"))
    with rehearsal(STACK, file) as run:
        run.open_windows()
        for step in run.building(print):
            if step.name == "up":
                break
        yield Sandbox(run.lab, sealed_environment(run.lab))


def _file(folder: Path) -> Path:
    """The shipped stack's file, with the model on the nodes' own disks."""
    source = REPOSITORY / f"Pulumi.{STACK}.yaml"
    content = yaml.safe_load(source.read_text(encoding="utf-8"))
    content["config"][SETTINGS]["modelCache"] = {"size": "300Gi", "storage": {"kind": "instanceStore"}}
    copy = folder / source.name
    copy.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return copy


def test_every_gpu_node_is_filled_and_whatever_reads_the_model_runs_there_and_waits(lab: Sandbox) -> None:
    copies = lab.get("pods", "-n", NAMESPACE, "-l", "app.kubernetes.io/name=model-cache")["items"]
    assert nodes_of(copies) == NODES
    pods = pods_of(lab, "gpt-oss-disagg", NAMESPACE)
    assert set(nodes_of(pods["frontend"])) <= set(NODES)
    assert nodes_of([*pods["prefill"], *pods["decode"]]) == NODES
    for pod in [each for found in pods.values() for each in found]:
        assert [each["name"] for each in pod["spec"]["initContainers"]] == ["wait-for-model"]
    assert lab.get("persistentvolumeclaims", "-n", NAMESPACE)["items"] == []
