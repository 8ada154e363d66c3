"""What the program registers of GPUs that are bought for a window of time, before the window and in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from lab.directory import REPOSITORY
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.recordings import recorded_stack

if TYPE_CHECKING:
    from resource_graph import ResourceGraph

GROUP = "aws:eks/nodeGroup:NodeGroup"
SCHEDULE = "aws:autoscaling/schedule:Schedule"
BUYS = re.compile(r"\b(ec2\.|import )Capacity\w*Reservation\b|[Pp]urchase_?[Cc]apacity")
ROOMS = (
    "cli",
    "components",
    "engines",
    "failures",
    "hardware",
    "operations",
    "policy",
    "recipes",
    "resource_graph",
    "stacks",
)


def in_phase(phase: str, settings: dict[str, Any] | None = None) -> ResourceGraph:
    changed = settings or eks_b200_settings()
    changed["nodePools"][0]["purchase"]["phase"] = phase
    return recorded_stack(resolved(changed))


def nodes_of(graph: ResourceGraph) -> Any:
    [group] = [each for each in graph.of_type(GROUP) if each.name != "system-nodes"]
    return group.inputs["scalingConfig"]


def test_a_block_that_waits_has_no_node_and_fills_itself_when_its_window_opens() -> None:
    graph = in_phase("waiting")
    assert nodes_of(graph) == {"minSize": 0, "maxSize": 1, "desiredSize": 0}
    [schedule] = graph.of_type(SCHEDULE)
    assert (schedule.inputs["startTime"], schedule.inputs["desiredCapacity"]) == ("2026-12-01T11:30:00Z", 1)


def test_in_its_window_a_block_has_its_nodes_and_nothing_is_scheduled() -> None:
    graph = in_phase("active")
    assert nodes_of(graph) == {"minSize": 0, "maxSize": 1, "desiredSize": 1}
    assert graph.of_type(SCHEDULE) == ()


def test_an_emptied_block_has_no_node_and_nothing_fills_it() -> None:
    graph = in_phase("empty")
    assert nodes_of(graph) == {"minSize": 0, "maxSize": 1, "desiredSize": 0}
    assert graph.of_type(SCHEDULE) == ()
    assert graph.kubernetes_objects("DynamoGraphDeployment") == ()
    [group] = [each for each in graph.of_type(GROUP) if each.name != "system-nodes"]
    assert group.inputs["tags"] == {"emptied-by-purchase-phase": "true"}


@pytest.mark.parametrize("settings", [eks_b200_settings(), eks_gb200_settings()], ids=["b200", "gb200"])
def test_before_the_window_the_model_is_fetched_and_no_graph_is_made(settings: dict[str, Any]) -> None:
    graph = in_phase("waiting", settings)
    assert [job.name for job in graph.kubernetes_objects("Job")] == ["model-cache-download"]
    for kind in ("DynamoGraphDeployment", "ComputeDomain"):
        assert graph.kubernetes_objects(kind) == ()
    before, after = ({each.urn for each in found} for found in (graph, in_phase("active", settings)))
    assert [urn for urn in before - after if SCHEDULE not in urn] == []


def test_a_pool_that_no_graph_uses_may_wait_beside_one_that_serves() -> None:
    settings = eks_b200_settings()
    settings["nodePools"][0]["labels"] = {"batch": "now"}
    second = {**settings["nodePools"][0], "name": "later", "labels": {"batch": "later"}}
    second["purchase"] = {**second["purchase"], "id": "cr-fedcba98", "phase": "waiting"}
    settings["nodePools"].append(second)
    graph = recorded_stack(resolved(settings))
    assert len(graph.kubernetes_objects("DynamoGraphDeployment")) == 1
    assert [each.name for each in graph.of_type(SCHEDULE)] == ["later-nodes-window-opens"]


@pytest.mark.parametrize("phase", ["waiting", "active"])
def test_nothing_is_bought_by_an_up(phase: str) -> None:
    # A block that is bought cannot be given back: destroying it would only forget it.
    bought = [each.type for each in in_phase(phase) if "capacity" in each.type.lower()]
    assert bought == []


def test_no_module_knows_how_to_buy() -> None:
    files = [path for room in ROOMS for path in (REPOSITORY / room).rglob("*.py")]
    assert files
    assert [path.name for path in files if BUYS.search(path.read_text(encoding="utf-8"))] == []
