"""`check`, `render` and `preflight` of stacks on nodes without an instance type, and of one layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import merged, squeezed, write_stack
from tests.stacks.plan.layers.settings import layered
from tests.support.dev_settings import described_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command

TRAYS = {
    "accelerator": "GB300",
    "gpus": 4,
    "architecture": "arm64",
    "cpu": 140,
    "memory": "900Gi",
    "nvlinkDomainGpus": 72,
    "labels": {"cloud.google.com/gke-accelerator": "nvidia-gb300"},
}
KINDS = {
    "described nodes": described_settings(),
    "described nodes without labels and taints": described_settings(labels={}, taints=None),
    "described trays": merged(described_settings(nodes=2, **TRAYS), {"serving": {"kvTransport": "mnnvl"}}),
    **{f"{layer} alone": layered(layer) for layer in ("infrastructure", "platform", "serving")},
}


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_a_stack_of_a_kind_that_is_not_shipped_breaks_no_mandatory_rule(
    command: Command, tmp_path: Path, settings: dict[str, Any]
) -> None:
    write_stack(tmp_path, settings)
    answer = command("check", "dev", folder=tmp_path)
    assert answer.code == 0, answer.out
    assert "0 mandatory" in answer.out
    assert "0 undecided" in answer.out


def test_a_stack_of_one_layer_writes_its_own_objects_alone(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, layered("serving"))
    text = command("render", "dev", folder=tmp_path).out
    assert "kind: DynamoGraphDeployment" in text
    assert "kind: StatefulSet" not in text
    assert "StackReference" not in text


def test_preflight_of_a_joined_stack_names_the_stack_that_makes_the_cluster(
    command: Command, tmp_path: Path
) -> None:
    write_stack(tmp_path, layered("serving"))
    answer = command("preflight", "dev", folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert "stack base makes the cluster of stack dev: `dynamo-stack preflight base`" in squeezed(answer.err)
