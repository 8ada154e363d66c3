"""Pools that `dynamo-stack pools` reads off the lab's cluster, and what is deployed on them."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.environment import CONTEXT
from tests.serving_stacks.pods import gpus_of, nodes_of, pods_of, variables_of
from tests.serving_stacks.rehearsal import prepared
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.lab

TRAYS = ("p6e-gb200-0", "p6e-gb200-1")
TYPE, TEAM = "node.kubernetes.io/instance-type", "example.com/team"
GRAPH, NAMESPACE = "gpt-oss-agg", "gpt-oss"


@pytest.fixture(scope="module")
def elsewhere(lab: Sandbox) -> Iterator[Sandbox]:
    """The lab's trays as another cloud would have them: another machine type, and a taint of one's own."""
    lab.kubectl("label", "nodes", *TRAYS, f"{TYPE}=a4x-highgpu-4g", "--overwrite")
    lab.kubectl("taint", "nodes", *TRAYS, f"{TEAM}=inference:NoSchedule")
    yield lab
    lab.kubectl("taint", "nodes", *TRAYS, f"{TEAM}-")
    lab.kubectl("label", "nodes", *TRAYS, f"{TYPE}=p6e-gb200.36xlarge", "--overwrite")


@pytest.fixture(scope="module")
def stack(elsewhere: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    """The aggregated recipe on the pool of trays that was read, before its first `up`."""

    def on_what_was_read(settings: dict[str, Any]) -> None:
        settings["nodePools"] = read_pools(elsewhere)
        del settings["serving"]["kvTransport"]
        settings["serving"] |= {"recipe": "gpt-oss-120b/trtllm-agg", "pool": "gb200"}

    with prepared(elsewhere, tmp_path_factory.mktemp("read"), "dev", on_what_was_read) as stack:
        yield stack


def read_pools(lab: Sandbox) -> list[dict[str, Any]]:
    """What the command prints as YAML, as a person would paste it."""
    command = str(Path(sys.executable).with_name("dynamo-stack"))
    printed = lab.run(command, "pools", "--context", CONTEXT).stdout
    as_json = json.loads(lab.run(command, "pools", "--context", CONTEXT, "--json").stdout)
    pools: list[dict[str, Any]] = yaml.safe_load(printed)["nodePools"]
    assert pools == as_json["nodePools"]
    return pools


def test_the_lab_s_nodes_are_read_as_they_are(elsewhere: Sandbox) -> None:
    b200, gb200 = sorted(read_pools(elsewhere), key=lambda pool: str(pool["name"]))
    assert b200 == {"name": "b200", "instanceType": "p6-b200.48xlarge", "nodes": 1}
    assert gb200["nodes"] == len(TRAYS)
    assert {
        key: gb200["node"][key] for key in ("accelerator", "gpus", "architecture", "nvlinkDomainGpus")
    } == {
        "accelerator": "GB200",
        "gpus": 4,
        "architecture": "arm64",
        "nvlinkDomainGpus": 8,
    }
    assert {"key": TEAM, "value": "inference", "effect": "NoSchedule"} in gb200["node"]["taints"]


def test_a_first_preview_accepts_the_pools_that_were_read(stack: LabStack) -> None:
    assert "pool gb200: 8 of 8 GPUs not used by others; this stack needs 4: it fits" in said_by_preview(stack)


@pytest.mark.slow
def test_the_aggregated_recipe_runs_on_the_trays_that_were_read(stack: LabStack) -> None:
    stack.up("--skip-preview")
    [worker] = pods_of(stack.lab, GRAPH, NAMESPACE)["worker"]
    assert set(nodes_of([worker])) <= set(TRAYS)
    assert gpus_of(worker) == 4
    # What a worker needs where NVLink crosses nodes and it has no channel.
    assert variables_of(worker)["NCCL_MNNVL_ENABLE"] == "0"
    said = said_by_preview(stack)
    assert "room: pool gb200: 8 of 8 GPUs not used by others; this stack needs 4: it fits" in said


def said_by_preview(stack: LabStack) -> str:
    """What `pulumi preview` prints, which must not refuse anything, on one line."""
    return " ".join(stack.pulumi("preview", "--policy-pack", "policy").stdout.split())
