"""What the processes of a serving stack really dial, held against the NetworkPolicies that stand before them.

Nobody enforces policies in the lab: a connection that they forbid works here, and is found by this test.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Self

import pytest

from tests.serving.client_pod import ClientPod
from tests.serving.etcd_discovery import discover_by_etcd
from tests.serving.pod_connections import ClusterNetwork, Connection, Dial, SampledSockets, in_words
from tests.serving_stacks.pods import pods_of
from tests.serving_stacks.rehearsal import rehearsed
from tests.support.network_policies import accepts, openings_for, openings_of
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

MODEL, NAMESPACE, GRAPH = "openai/gpt-oss-120b", "gpt-oss", "gpt-oss-disagg"
_ANSWERS = 20
_SCRAPED = "no Prometheus runs in the lab, nor does NIXL"
_SCRAPERS = "pods app.kubernetes.io/name=prometheus|prometheus-agent of all namespaces"


def _watched_and_by_etcd(settings: dict[str, Any]) -> None:
    discover_by_etcd(settings)
    settings["serving"]["podMonitor"] = {}


# What nothing in the lab can use, and why.
IDLE = {
    "dev": {},
    "disagg-b200-tcp": {
        f"{GRAPH}-metrics: 8000 from {_SCRAPERS}": _SCRAPED,
        f"{GRAPH}-metrics: 9090 from {_SCRAPERS}": _SCRAPED,
        f"{GRAPH}-metrics: 19090 from {_SCRAPERS}": _SCRAPED,
        "dynamo-etcd: 2379 from pods app.kubernetes.io/name=dynamo-etcd of its namespace": (
            "`etcdctl --cluster` of docs/nats-and-etcd.md; the lab builds no etcdctl"
        ),
    },
}
CHANGES = {"dev": None, "disagg-b200-tcp": _watched_and_by_etcd}


# With discovery by Kubernetes they look for each other there; all else stays between pods.
DIAL_THE_API_SERVER = {"dev": {"frontend", "prefill", "decode"}, "disagg-b200-tcp": set[str]()}


@dataclass(frozen=True)
class Opened:
    """What was seen of one stack."""

    name: str
    policies: Sequence[Mapping[str, Any]]
    connections: Set[Connection]
    outside: Set[tuple[str, str]]
    """Kinds of pods with the addresses that are no pod's and that they dialled."""

    @classmethod
    def of(
        cls, name: str, policies: Sequence[Mapping[str, Any]], network: ClusterNetwork, dials: Set[Dial]
    ) -> Self:
        between: set[Connection] = set()
        outside: set[tuple[str, str]] = set()
        for dial in dials:
            found = network.connections(dial)
            if found is None:
                outside.add((network.pod(dial.source).kind, ":".join(map(str, dial.to))))
            else:
                between.update(found)
        return cls(name, policies, between, outside)

    @property
    def idle(self) -> set[str]:
        """The openings through which nothing was dialled."""
        used = {
            opening
            for each in self.connections
            for opening in openings_for(self.policies, each.target.labels, each.port, each.source.labels)
        }
        return {str(each) for each in openings_of(self.policies) - used}


@pytest.fixture(scope="module", params=["dev", pytest.param("disagg-b200-tcp", marks=pytest.mark.measured)])
def opened(
    request: pytest.FixtureRequest, serving_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    name = request.param
    with rehearsed(serving_lab, tmp_path_factory.mktemp("opened"), name, CHANGES[name]):
        yield _opened(serving_lab, name)


def test_the_policies_allow_every_connection_that_was_opened(opened: Opened) -> None:
    forbidden = {
        in_words(each)
        for each in opened.connections
        if not accepts(opened.policies, each.target.labels, each.port, each.source.labels)
    }
    assert forbidden == set()


def test_no_opening_of_the_policies_is_idle(opened: Opened) -> None:
    assert opened.idle == set(IDLE[opened.name])


def test_pods_dial_pods_and_with_discovery_by_kubernetes_the_api_server(
    opened: Opened, serving_lab: Sandbox
) -> None:
    words = ("config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}")
    api_server = serving_lab.kubectl(*words).stdout.removeprefix("https://")
    assert opened.outside == {(kind, api_server) for kind in DIAL_THE_API_SERVER[opened.name]}


def _opened(lab: Sandbox, name: str) -> Opened:
    network, sockets = ClusterNetwork(), SampledSockets(lab.directory.root / "kubelet" / "pods")
    [frontend] = pods_of(lab, GRAPH, NAMESPACE)["frontend"]
    client = ClientPod(lab, NAMESPACE)
    client.start(frontend["spec"]["containers"][0]["image"], f"{GRAPH}-frontend", MODEL)

    def is_answered(answers: int) -> bool:
        sockets.look()
        return client.answers() >= answers

    def every_opening_is_used() -> bool:
        sockets.look()
        return Opened.of(name, policies, network, sockets.dials).idle <= IDLE[name].keys()

    try:
        until(lambda: is_answered(_ANSWERS), "answers for the client", seen=client.last_words)
        [decode] = pods_of(lab, GRAPH, NAMESPACE)["decode"]
        policies = _look(lab, network)
        lab.kubectl("delete", "pod", decode["metadata"]["name"], "-n", NAMESPACE)
        before = client.answers()
        until(
            lambda: is_answered(before + _ANSWERS),
            "answers by way of another worker",
            seen=client.last_words,
        )
        _look(lab, network)
        # A request lasts shorter than the time between two looks, and another one follows: it is seen once.
        until(every_opening_is_used, "a connection through every opening of the policies")
    finally:
        client.stop()
    return Opened.of(name, policies, network, sockets.dials)


def _look(lab: Sandbox, network: ClusterNetwork) -> list[Mapping[str, Any]]:
    """Show the network what there is now, and return the policies."""

    def listed(kind: str) -> list[Mapping[str, Any]]:
        return lab.get(kind, "--all-namespaces")["items"]

    network.look(
        slices=listed("endpointslices"),
        services=listed("services"),
        namespaces=listed("namespaces"),
        pods=listed("pods"),
    )
    return listed("networkpolicies")
