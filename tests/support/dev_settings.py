"""Settings for tests to change: the committed ones of stack dev, and small ones of other shapes."""

import copy
from typing import Any

import pytest

from stacks.errors import Problem, SettingsError
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan
from stacks.settings.load import parse_settings
from tests.support.shipped_stacks import committed_settings

FILE = "Pulumi.dev.yaml"


def dev_settings() -> dict[str, Any]:
    """What stands below `dynamo-stack:settings` in the committed file, for a test to change."""
    return copy.deepcopy(committed_settings("dev"))


def resolved(settings: dict[str, Any] | None = None) -> StackPlan:
    """The stack that the settings lead to; the committed ones by default."""
    data = dev_settings() if settings is None else settings
    return resolve("dev", parse_settings(data, FILE), FILE)


def existing_cluster_settings(serving: dict[str, Any], pools: list[dict[str, Any]]) -> dict[str, Any]:
    """Settings of a stack of its own, with nothing typed that has a default."""
    return {
        "cluster": {"kind": "existing", "context": "gpu-cluster"},
        "platform": {
            "kind": "own",
            "version": "1.2.1",
            "nats": {"kind": "own", "members": 3, "storageClassName": "fast-disks"},
        },
        "nodePools": pools,
        "modelCache": {"size": "150Gi", "storageClassName": "shared-files"},
        "serving": {"namespace": "gpt-oss", **serving},
    }


def disagg_b200_settings() -> dict[str, Any]:
    """The disaggregated recipe on one B200 node, over TCP."""
    return existing_cluster_settings(
        {"recipe": "gpt-oss-120b/trtllm-disagg", "pool": "b200", "kvTransport": "tcp"},
        [{"name": "b200", "instanceType": "p6-b200.48xlarge", "nodes": 1}],
    )


def disagg_gb200_settings(nodes: int = 2) -> dict[str, Any]:
    """The disaggregated recipe on GB200 trays of one NVLink domain."""
    return existing_cluster_settings(
        {"recipe": "gpt-oss-120b/trtllm-disagg", "pool": "gb200", "kvTransport": "mnnvl"},
        [{"name": "gb200", "instanceType": "p6e-gb200.36xlarge", "nodes": nodes}],
    )


def agg_gb200_settings(nodes: int = 1) -> dict[str, Any]:
    """The aggregated recipe on GB200 trays."""
    return existing_cluster_settings(
        {"recipe": "gpt-oss-120b/trtllm-agg", "pool": "gb200"},
        [{"name": "gb200", "instanceType": "p6e-gb200.36xlarge", "nodes": nodes}],
    )


def all_lines_settings() -> dict[str, Any]:
    """A recipe that stands on every line of the platform, on one B200 node."""
    return existing_cluster_settings(
        {"recipe": "gpt-oss-120b/vllm-agg", "pool": "b200"},
        [{"name": "b200", "instanceType": "p6-b200.48xlarge", "nodes": 1}],
    )


def described_node(**changes: Any) -> dict[str, Any]:
    """A node of eight B200 as a GKE cluster has it."""
    node: dict[str, Any] = {
        "accelerator": "B200",
        "gpus": 8,
        "cpu": 220,
        "memory": "3900Gi",
        "architecture": "amd64",
        "labels": {"cloud.google.com/gke-accelerator": "nvidia-b200"},
        "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
    }
    return node | changes


def described_settings(nodes: int = 1, **changes: Any) -> dict[str, Any]:
    """The disaggregated recipe over TCP on such nodes; `changes` are keys of the node."""
    return existing_cluster_settings(
        {"recipe": "gpt-oss-120b/trtllm-disagg", "pool": "gpus", "kvTransport": "tcp"},
        [{"name": "gpus", "node": described_node(**changes), "nodes": nodes}],
    )


def problems_of(settings: dict[str, Any]) -> list[Problem]:
    """Everything for which the settings are refused."""
    with pytest.raises(SettingsError) as raised:
        resolved(settings)
    return list(raised.value.problems[FILE])
