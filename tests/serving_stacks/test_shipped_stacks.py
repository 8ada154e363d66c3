"""Each stack file that this repository ships, brought up as it is, on nodes that the test names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.serving_stacks.pods import claims_of, gpus_of, nodes_of, pods_of, variables_of
from tests.serving_stacks.rehearsal import rehearsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.lab_stack import LabStack
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAMESPACE = "gpt-oss"
SYSTEM_NODES = {"system-0", "system-1", "system-2"}
B200, TRAY_0, TRAY_1 = "p6-b200-0", "p6e-gb200-0", "p6e-gb200-1"
URNS = Path(__file__).parent.parent / "components" / "urns"
CHANNEL = "compute-domain.nvidia.com"


@dataclass(frozen=True)
class Expected:
    """What a stack must lead to: the graph, its GPUs by role, and the nodes that may hold each role."""

    graph: str
    gpus: dict[str, int]
    nodes: dict[str, set[str]]
    together: set[str]
    """The nodes of all workers together."""
    claims: int
    """Workers with a channel of the compute domain."""


EXPECTED = {
    "disagg-b200": Expected(
        "gpt-oss-disagg", {"prefill": 1, "decode": 4}, {"prefill": {B200}, "decode": {B200}}, {B200}, claims=0
    ),
    "disagg-gb200": Expected(
        "gpt-oss-disagg",
        {"prefill": 1, "decode": 4},
        {"prefill": {TRAY_0, TRAY_1}, "decode": {TRAY_0, TRAY_1}},
        {TRAY_0, TRAY_1},
        claims=2,
    ),
    "agg-gb200": Expected("gpt-oss-agg", {"worker": 4}, {"worker": {TRAY_0, TRAY_1}}, set(), claims=0),
}


@pytest.fixture(scope="module", params=EXPECTED)
def shipped(
    request: pytest.FixtureRequest, lab: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LabStack]:
    with rehearsed(lab, tmp_path_factory.mktemp("shipped"), request.param) as stack:
        yield stack


def test_every_worker_runs_simulated_on_the_nodes_that_it_was_meant_for(shipped: LabStack) -> None:
    expected = EXPECTED[shipped.name]
    pods = pods_of(shipped.lab, expected.graph, NAMESPACE)
    assert pods.keys() == {"frontend", *expected.gpus}
    assert set(nodes_of(pods["frontend"])) <= SYSTEM_NODES
    used: set[str] = set()
    for role, gpus in expected.gpus.items():
        assert set(nodes_of(pods[role])) <= expected.nodes[role]
        assert [gpus_of(pod) for pod in pods[role]] == [gpus]
        used |= set(nodes_of(pods[role]))
    assert used == (expected.together or used)


def test_workers_hold_a_channel_of_the_compute_domain_exactly_where_the_kv_cache_crosses_nvlink(
    shipped: LabStack,
) -> None:
    expected = EXPECTED[shipped.name]
    pods = pods_of(shipped.lab, expected.graph, NAMESPACE)
    claims = [claim for role in expected.gpus for pod in pods[role] for claim in claims_of(shipped.lab, pod)]
    assert len(claims) == expected.claims
    devices = [
        (result["driver"], result["device"], result["pool"])
        for claim in claims
        for result in claim["status"]["allocation"]["devices"]["results"]
    ]
    assert {(driver, device) for driver, device, _ in devices} <= {(CHANNEL, "channel-0")}
    assert {pool for _, _, pool in devices} == (expected.together if expected.claims else set())


def test_the_engine_registers_the_urns_that_are_committed(shipped: LabStack) -> None:
    committed = (URNS / f"{shipped.name}.txt").read_text(encoding="utf-8").split()
    assert shipped.urns() == sorted(committed)


def test_a_second_up_changes_nothing(shipped: LabStack) -> None:
    shipped.up()
    assert shipped.changes() == {}


def test_workers_reach_the_stacks_own_nats_servers(shipped: LabStack) -> None:
    expected = EXPECTED[shipped.name]
    pods = pods_of(shipped.lab, expected.graph, NAMESPACE)
    address = "nats://dynamo-nats.dynamo-system.svc.cluster.local:4222"
    for role in ("frontend", *expected.gpus):
        assert {variables_of(pod)["NATS_SERVER"] for pod in pods[role]} == {address}
    servers = shipped.lab.get("pods", "-n", "dynamo-system", "-l", "app.kubernetes.io/name=dynamo-nats")
    assert set(nodes_of(servers["items"])) == SYSTEM_NODES
