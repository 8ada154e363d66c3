"""What `destroy` leaves: what is listed, and what is registered."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.recordings import recorded_stack

STACKS: dict[str, Callable[[], dict[str, Any]]] = {"b200": eks_b200_settings, "gb200": eks_gb200_settings}
EVERY_STACK = pytest.mark.parametrize("name", STACKS)
KEY = "KMS key Secrets of the cluster gpt-oss"
LOGS = "Log group /aws/eks/gpt-oss/cluster"
GROUP = "Local Zone group us-east-1-dfw-2"


def _left(settings: dict[str, Any]) -> list[str]:
    return [f"{item.kind} {item.name}" for item in resolved(settings).retained]


@pytest.mark.parametrize("lifecycle", ["production", "disposable"])
def test_a_cluster_of_the_stacks_own_takes_everything_along_that_aws_lets_go(lifecycle: str) -> None:
    assert _left(eks_b200_settings() | {"lifecycle": lifecycle}) == [LOGS, KEY]
    assert _left(eks_gb200_settings() | {"lifecycle": lifecycle}) == [LOGS, KEY, GROUP]


PLANNERS = ["ServiceAccount planner-serviceaccount", "RoleBinding planner-serviceaccount-binding"]


def _planners_left(lifecycle: str, *, namespace_was_there: bool) -> list[str]:
    settings = disagg_b200_settings() | {"lifecycle": lifecycle}
    if namespace_was_there:
        del settings["modelCache"]
        settings["model"] = {"source": {"kind": "existingVolume", "claimName": "shared-models"}}
    return [item for item in _left(settings) if "planner" in item]


@pytest.mark.parametrize("lifecycle", ["production", "disposable"])
def test_what_the_operator_makes_beside_a_graph_stays_in_a_namespace_that_was_there_before(
    lifecycle: str,
) -> None:
    assert _planners_left(lifecycle, namespace_was_there=True) == PLANNERS


def test_what_the_operator_makes_beside_a_graph_stays_or_goes_with_the_stacks_own_namespace() -> None:
    assert _planners_left("disposable", namespace_was_there=False) == []
    assert _planners_left("production", namespace_was_there=False) == PLANNERS


@EVERY_STACK
@pytest.mark.parametrize("lifecycle", ["production", "disposable"])
def test_nothing_is_registered_to_stay_but_the_opt_in(name: str, lifecycle: str) -> None:
    stack = resolved(STACKS[name]() | {"lifecycle": lifecycle})
    kept = [resource for resource in recorded_stack(stack) if resource.retain_on_delete]
    groups = [item.name for item in stack.retained if item.kind == "Local Zone group"]
    assert [resource.inputs["groupName"] for resource in kept] == groups


@pytest.mark.parametrize(("name", "file_system"), [("b200", "LustreFileSystem"), ("gb200", "FileSystem")])
def test_what_holds_something_for_good_is_protected_in_production(name: str, file_system: str) -> None:
    def protected(lifecycle: str) -> set[str]:
        graph = recorded_stack(resolved(STACKS[name]() | {"lifecycle": lifecycle}))
        return {each.type.rpartition(":")[2] for each in graph if each.protect}

    in_cluster = {"Namespace", "PersistentVolumeClaim"}
    assert protected("production") == {"Vpc", "Subnet", "Cluster", "Key", file_system, *in_cluster}
    assert protected("disposable") == set()
