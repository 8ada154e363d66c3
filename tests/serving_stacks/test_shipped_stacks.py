"""Each stack that makes its own cluster, from nothing to destroy, as its file is: `make rehearse`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from lab.directory import REPOSITORY
from lab.environment import sealed_environment
from lab.rehearsal import Rehearsal, Step, rehearsal
from stacks.reading.load import list_stacks
from tests.components.committed_urns import committed_urns
from tests.serving_stacks.account import found_in
from tests.serving_stacks.pods import claims_of, gpus_of, nodes_of, pods_of, variables_of
from tests.support.lab_stack import LabStack
from tests.support.runbook import commands, typed
from tests.support.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAMESPACE = "gpt-oss"
CHANNEL = "compute-domain.nvidia.com"
CLIQUE = "nvidia.com/gpu.clique"
RETAINED = re.compile(r"^ +(\w.*?): ", re.MULTILINE)
EXISTING = {"dev"}
"""Rehearsed on a cluster that exists: tests/lab/test_rehearsal.py."""


@dataclass(frozen=True)
class Expected:
    """What a stack must lead to."""

    graph: str
    gpus: dict[str, int]
    """Of the worker of each role."""
    nodes: set[str]
    """The GPU nodes, all of which the workers use."""
    claims: int
    """Workers with a channel of the compute domain."""


EXPECTED = {
    "disagg-b200": Expected("gpt-oss-disagg", {"prefill": 1, "decode": 4}, {"disagg-b200-b200-0"}, claims=0),
    "disagg-gb200": Expected(
        "gpt-oss-disagg",
        {"prefill": 1, "decode": 4},
        {"disagg-gb200-gb200-0", "disagg-gb200-gb200-1"},
        claims=2,
    ),
    "agg-gb200": Expected("gpt-oss-agg", {"worker": 4}, {"agg-gb200-gb200-0"}, claims=0),
}


@dataclass(frozen=True)
class Shipped:
    """A stack file's stack, built."""

    run: Rehearsal
    file: bytes
    """What was committed when it began."""
    built: dict[str, Step]

    @property
    def name(self) -> str:
        """The stack's."""
        return self.run.stack

    @property
    def lab(self) -> Sandbox:
        """The lab of this stack alone."""
        return Sandbox(self.run.lab, sealed_environment(self.run.lab))

    @property
    def stack(self) -> LabStack:
        """The stack as its commands see it."""
        return LabStack(self.lab, self.run.project, self.name)

    @property
    def system_nodes(self) -> set[str]:
        """Where everything without GPUs belongs."""
        return {f"{self.name}-system-{number}" for number in range(3)}


@pytest.fixture(scope="module", params=EXPECTED)
def shipped(request: pytest.FixtureRequest, engine: Sandbox) -> Iterator[Shipped]:
    assert engine
    with rehearsal(request.param) as run:
        file = _file_of(request.param)
        yield Shipped(run, file, {step.name: step for step in run.building(print)})


def test_every_stack_file_is_rehearsed() -> None:
    assert EXPECTED.keys() | EXISTING == set(list_stacks(REPOSITORY))


def test_one_up_makes_everything_and_a_second_one_and_a_refresh_find_nothing_to_do(shipped: Shipped) -> None:
    assert list(shipped.built) == ["lab", "preview", "up", "up again", "refresh"]
    assert shipped.built["up again"].changes == shipped.built["refresh"].changes == "no change"


def test_every_worker_runs_simulated_on_the_nodes_that_it_was_meant_for(shipped: Shipped) -> None:
    expected = EXPECTED[shipped.name]
    pods = pods_of(shipped.lab, expected.graph, NAMESPACE)
    assert pods.keys() == {"frontend", *expected.gpus}
    assert set(nodes_of(pods["frontend"])) <= shipped.system_nodes
    used: set[str] = set()
    for role, gpus in expected.gpus.items():
        assert [gpus_of(pod) for pod in pods[role]] == [gpus]
        used |= set(nodes_of(pods[role]))
    assert used == expected.nodes


def test_workers_hold_a_channel_of_the_compute_domain_exactly_where_the_kv_cache_crosses_nvlink(
    shipped: Shipped,
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
    assert {pool for _, _, pool in devices} == (expected.nodes if expected.claims else set())


def test_workers_that_share_a_compute_domain_are_in_one_clique(shipped: Shipped) -> None:
    expected = EXPECTED[shipped.name]
    domains = shipped.lab.get("computedomains.resource.nvidia.com", "-n", NAMESPACE)["items"]
    assert len(domains) == (1 if expected.claims else 0)
    nodes = [shipped.lab.get("node", name)["metadata"]["labels"] for name in expected.nodes]
    assert len({labels.get(CLIQUE) for labels in nodes}) == 1
    assert all((CLIQUE in labels) == ("gb200" in shipped.name) for labels in nodes)


def test_the_engine_registers_the_urns_that_are_committed(shipped: Shipped) -> None:
    assert shipped.stack.urns() == sorted(committed_urns(shipped.name))


def test_workers_reach_the_stacks_own_nats_servers(shipped: Shipped) -> None:
    expected = EXPECTED[shipped.name]
    pods = pods_of(shipped.lab, expected.graph, NAMESPACE)
    address = "nats://dynamo-nats.dynamo-system.svc.cluster.local:4222"
    for role in ("frontend", *expected.gpus):
        assert {variables_of(pod)["NATS_SERVER"] for pod in pods[role]} == {address}
    servers = shipped.lab.get("pods", "-n", "dynamo-system", "-l", "app.kubernetes.io/name=dynamo-nats")
    assert set(nodes_of(servers["items"])) == shipped.system_nodes


def test_destroy_of_what_is_protected_is_refused_before_anything_goes(shipped: Shipped) -> None:
    before, account = shipped.stack.urns(), found_in(shipped.run.lab)
    answer = shipped.stack.pulumi("destroy", "--yes", check=False)
    said = answer.stdout + answer.stderr
    assert answer.returncode != 0
    assert said.count("cannot be deleted") >= 1
    assert "because it is protected" in said
    assert shipped.stack.urns() == before
    assert found_in(shipped.run.lab) == account


def test_what_lifts_the_protection_lets_destroy_leave_exactly_what_explain_lists(shipped: Shipped) -> None:
    screen = shipped.stack.dynamo_stack("explain", shipped.name).stdout
    listed = set(RETAINED.findall(re.split(r"\n(?=\S)", screen.partition("\nRETAINED ")[2])[0]))
    assert listed
    lift, apply, destroy, *_ = commands("destroy-a-cluster")
    typed(shipped.stack, lift)
    typed(shipped.stack, apply)
    assert shipped.stack.changes().keys() == {"update"}
    typed(shipped.stack, destroy)
    created = shipped.built["up"].changes
    assert shipped.stack.changes() == {"delete": int(created.removesuffix(" create"))}
    assert found_in(shipped.run.lab) == listed
    assert _file_of(shipped.name) == shipped.file


def _file_of(name: str) -> bytes:
    return (REPOSITORY / f"Pulumi.{name}.yaml").read_bytes()
