"""What the program registers of GPUs that are bought for a window of time, before the window and in it."""

import re

import pytest

from lab.directory import REPOSITORY
from tests.components.recorded import EVERY_EKS, GROUP, in_phase, only, recorded_eks
from tests.support.eks_settings import eks_b200_settings

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
_SCALING = {"minSize": 0, "maxSize": 1}
_PHASES = {
    "waiting": ({"desiredSize": 0}, [("2027-12-01T11:30:00Z", 1)]),
    "active": ({"desiredSize": 1}, []),
    "empty": ({"desiredSize": 0}, []),
}


@pytest.mark.parametrize("phase", _PHASES)
def test_a_block_has_nodes_in_its_window_alone_and_one_that_waits_fills_itself_when_it_opens(
    phase: str,
) -> None:
    size, scheduled = _PHASES[phase]
    graph = in_phase(phase)
    assert only(graph, GROUP, "b200-nodes").inputs["scalingConfig"] == _SCALING | size
    found = [each.inputs for each in graph.of_type(SCHEDULE)]
    assert [(each["startTime"], each["desiredCapacity"]) for each in found] == scheduled
    # A block that is bought cannot be given back: destroying it would only forget it.
    assert [each.type for each in graph if "capacity" in each.type.lower()] == []


def test_an_emptied_block_serves_nothing_and_says_why() -> None:
    graph = in_phase("empty")
    assert graph.kubernetes_objects("DynamoGraphDeployment") == ()
    assert only(graph, GROUP, "b200-nodes").inputs["tags"] == {"emptied-by-purchase-phase": "true"}


@EVERY_EKS
def test_before_the_window_the_model_is_fetched_and_no_graph_is_made(name: str) -> None:
    graph = in_phase("waiting", name)
    assert [job.name for job in graph.kubernetes_objects("Job")] == ["model-cache-download"]
    for kind in ("DynamoGraphDeployment", "ComputeDomain"):
        assert graph.kubernetes_objects(kind) == ()
    before, after = ({each.urn for each in found} for found in (graph, in_phase("active", name)))
    assert [urn for urn in before - after if SCHEDULE not in urn] == []


def test_a_pool_that_no_graph_uses_may_wait_beside_one_that_serves() -> None:
    [pool] = eks_b200_settings()["nodePools"]
    purchase = {**pool["purchase"], "id": "cr-fedcba98", "phase": "waiting"}
    second = {**pool, "name": "later", "labels": {"batch": "later"}, "purchase": purchase}
    graph = recorded_eks(nodePools=[pool | {"labels": {"batch": "now"}}, second])
    assert len(graph.kubernetes_objects("DynamoGraphDeployment")) == 1
    assert [each.name for each in graph.of_type(SCHEDULE)] == ["later-nodes-window-opens"]


def test_no_module_knows_how_to_buy() -> None:
    files = [path for room in ROOMS for path in (REPOSITORY / room).rglob("*.py")]
    assert files
    assert [path.name for path in files if BUYS.search(path.read_text(encoding="utf-8"))] == []
