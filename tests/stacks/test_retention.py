"""What `destroy` leaves of a stack that makes its own cluster: what is listed, and what is registered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cli.project import recorded_stack
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

if TYPE_CHECKING:
    from collections.abc import Callable

STACKS: dict[str, Callable[[], dict[str, Any]]] = {"b200": eks_b200_settings, "gb200": eks_gb200_settings}
EVERY_STACK = pytest.mark.parametrize("name", STACKS)
KEY = "KMS key Secrets of the cluster gpt-oss"
GROUP = "Local Zone group us-east-1-dfw-2"
NATS = [f"EBS volume data-dynamo-nats-{ordinal}" for ordinal in range(3)]


def _left(settings: dict[str, Any]) -> list[str]:
    return [f"{item.kind} {item.name}" for item in resolved(settings).retained if not item.goes_with_cluster]


def test_a_production_stack_leaves_its_data_and_what_aws_does_not_delete_at_once() -> None:
    assert _left(eks_gb200_settings()) == ["EFS file system gpt-oss-model-cache", *NATS, KEY, GROUP]
    assert _left(eks_b200_settings()) == ["FSx file system model-cache", *NATS, KEY]


def test_a_cache_on_a_disk_leaves_the_disk() -> None:
    settings = eks_b200_settings()
    settings["modelCache"] = {"size": "150Gi", "storageClassName": "gp3"}
    assert "EBS volume model-cache" in _left(settings)


def test_a_disposable_stack_leaves_no_data() -> None:
    assert _left(eks_gb200_settings() | {"lifecycle": "disposable"}) == [KEY, GROUP]


@EVERY_STACK
def test_nothing_but_what_holds_a_volume_is_kept_in_a_cluster_that_goes(name: str) -> None:
    in_cluster = [item for item in resolved(STACKS[name]()).retained if item.goes_with_cluster]
    assert {item.kind for item in in_cluster} == {"PersistentVolumeClaim", "Namespace"}
    assert {item.name for item in in_cluster if item.kind == "Namespace"} == {"gpt-oss", "dynamo-system"}
    assert all(item.goes_with_cluster is False for item in resolved().retained)


@EVERY_STACK
@pytest.mark.parametrize("lifecycle", ["production", "disposable"])
def test_what_is_listed_of_the_account_is_what_the_program_leaves_there(name: str, lifecycle: str) -> None:
    stack = resolved(STACKS[name]() | {"lifecycle": lifecycle})
    kept = {
        str(resource.inputs.get("creationToken") or resource.inputs.get("groupName"))
        for resource in recorded_stack(stack)
        if resource.type.startswith("aws:") and resource.retain_on_delete
    }
    listed = {item.name for item in stack.retained if item.kind in {"EFS file system", "Local Zone group"}}
    assert kept == listed


def test_network_cluster_key_and_file_system_of_a_production_stack_are_protected() -> None:
    def protected(lifecycle: str) -> set[str]:
        settings = eks_gb200_settings() | {"lifecycle": lifecycle}
        graph = recorded_stack(resolved(settings))
        return {
            each.type.rpartition(":")[2] for each in graph if each.type.startswith("aws:") and each.protect
        }

    assert protected("production") == {"Vpc", "Subnet", "Cluster", "Key", "FileSystem"}
    assert protected("disposable") == set()
