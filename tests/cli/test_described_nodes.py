"""Stacks on nodes that no EC2 instance type names, as `explain`, `check` and `render` show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.cli.command import squeezed, write_stack
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


def _trays() -> dict[str, Any]:
    settings = described_settings(nodes=2, **TRAYS)
    settings["serving"]["kvTransport"] = "mnnvl"
    return settings


def test_no_price_is_known_of_described_nodes(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, described_settings())
    answer = command("explain", "dev", "--all", folder=tmp_path)
    assert (answer.code, answer.err) == (0, "")
    text = squeezed(answer.out)
    assert "gpus 1 x 8xB200-amd64 8 B200 5 unknown 3 unknown 1 of 1" in text
    assert "PRICES 8xB200-amd64: no price is known" in text
    assert "cloud.google.com/gke-accelerator=nvidia-b200" in text


@pytest.mark.parametrize(
    "settings", [described_settings(), described_settings(labels={}, taints=None), _trays()]
)
def test_a_stack_on_described_nodes_breaks_no_mandatory_rule(
    command: Command, tmp_path: Path, settings: dict[str, Any]
) -> None:
    write_stack(tmp_path, settings)
    answer = command("check", "dev", folder=tmp_path)
    assert answer.code == 0, answer.out
    assert "0 mandatory" in answer.out
    assert "0 undecided" in answer.out


def test_rendered_workers_select_and_tolerate_what_the_description_says(
    command: Command, tmp_path: Path
) -> None:
    taint = {"key": "example.com/team", "value": "inference", "effect": "NoExecute"}
    write_stack(tmp_path, described_settings(taints=[taint]))
    answer = command("render", "dev", folder=tmp_path)
    [graph] = [
        each for each in yaml.safe_load_all(answer.out) if each and each["kind"] == "DynamoGraphDeployment"
    ]
    workers = [each for each in graph["spec"]["components"] if each["type"] != "frontend"]
    for worker in workers:
        pod = worker["podTemplate"]["spec"]
        assert pod["nodeSelector"]["cloud.google.com/gke-accelerator"] == "nvidia-b200"
        assert {**taint, "operator": "Equal"} in pod["tolerations"]
    assert len(workers) == 2
