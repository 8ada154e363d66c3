"""Which connections the pods accept, asked as a packet would: from whom, to whom, on which port."""

from typing import Any

import pytest

from tests.components.recorded import named, objects, recorded
from tests.support.dev_settings import disagg_b200_settings
from tests.support.network_policies import Labelled, accepts

Pod = tuple[dict[str, str], dict[str, str]]
"""Labels of its namespace, and its own."""

UNLABELLED = {"kubernetes.io/metadata.name": "dynamo-system"}
UNLABELLED_SERVING = {"kubernetes.io/metadata.name": "gpt-oss"}
STRANGER = {"kubernetes.io/metadata.name": "stranger"}
SYSTEM = UNLABELLED | {"uses-dynamo-platform": "dynamo-system"}
SERVING = UNLABELLED_SERVING | {"uses-dynamo-platform": "dynamo-system"}
SECOND = {"kubernetes.io/metadata.name": "gpt-oss-batch", "uses-dynamo-platform": "dynamo-system"}
GRAPH = "nvidia.com/dynamo-graph-deployment-name"
TYPE = "nvidia.com/dynamo-component-type"
FRONTEND = {GRAPH: "gpt-oss-disagg", TYPE: "frontend"}
DECODE = {GRAPH: "gpt-oss-disagg", TYPE: "decode"}
OTHER_GRAPH = {GRAPH: "another", TYPE: "decode"}
NATS = {"app.kubernetes.io/name": "dynamo-nats"}
ETCD = {"app.kubernetes.io/name": "dynamo-etcd"}
BUNDLED_NATS = {"app.kubernetes.io/name": "nats", "app.kubernetes.io/instance": "dynamo-platform"}
OPERATOR = {"app.kubernetes.io/name": "dynamo-operator", "control-plane": "controller-manager"}
PROMETHEUS = {"app.kubernetes.io/name": "prometheus"}
ANY = {"app": "any"}
PEERS: dict[str, Pod] = {
    "frontend": (SERVING, FRONTEND),
    "worker": (SERVING, DECODE),
    "another graph": (SERVING, OTHER_GRAPH),
    "its namespace": (SERVING, ANY),
    "second namespace": (SECOND, FRONTEND),
    "platform": (SYSTEM, ANY),
    "stranger": (STRANGER, ANY),
    "prometheus": (STRANGER, PROMETHEUS),
    "nats": (SYSTEM, NATS),
    "etcd": (SYSTEM, ETCD),
    "a stranger called nats": (STRANGER, NATS),
}


def _settings(**changes: Any) -> dict[str, Any]:
    settings = disagg_b200_settings()
    own = {"kind": "own", "members": 3, "storageClassName": "fast-disks"}
    settings["platform"] |= {"discovery": "etcd", "etcd": own, **changes.pop("platform", {})}
    settings["serving"] |= changes.pop("serving", {})
    return settings | changes


def _accepts(settings: dict[str, Any], target: Pod, port: int, source: Pod) -> bool:
    policies: list[Any] = [each.inputs for each in recorded(settings).kubernetes_objects("NetworkPolicy")]
    return accepts(policies, Labelled(*target), port, Labelled(*source))


OWN = _settings()
EXPOSED = _settings(serving={"exposure": {"kind": "internalLoadBalancer"}})
WATCHED = _settings(serving={"podMonitor": {}})
BUNDLED = _settings(platform={"nats": {"kind": "bundled", "storageClassName": "fast-disks"}})
_USERS = {
    "frontend",
    "worker",
    "another graph",
    "its namespace",
    "second namespace",
    "platform",
    "nats",
    "etcd",
}
_CONNECTIONS: dict[str, tuple[dict[str, Any], Pod, list[int], set[str]]] = {
    "workers answer their own graph alone, on any port": (
        OWN,
        (SERVING, DECODE),
        [9090, 37451],
        {"frontend", "worker"},
    ),
    "the frontend answers its own namespace and no other": (
        OWN,
        (SERVING, FRONTEND),
        [8000],
        {"frontend", "worker", "another graph", "its namespace"},
    ),
    "metrics of a frontend are read by nobody else": (
        OWN,
        (SERVING, FRONTEND),
        [9090],
        {"frontend", "worker"},
    ),
    "an exposed frontend answers the network": (EXPOSED, (SERVING, FRONTEND), [8000], set(PEERS)),
    "workers of an exposed frontend do not": (EXPOSED, (SERVING, DECODE), [8000], {"frontend", "worker"}),
    "Prometheus reads metrics of workers where a monitor was typed": (
        WATCHED,
        (SERVING, DECODE),
        [9090, 19090],
        {"frontend", "worker", "prometheus"},
    ),
    "Prometheus reads metrics of the frontend where a monitor was typed": (
        WATCHED,
        (SERVING, FRONTEND),
        [8000],
        {"frontend", "worker", "another graph", "its namespace", "prometheus"},
    ),
    "NATS answers every namespace that uses the platform": (OWN, (SYSTEM, NATS), [4222], _USERS),
    "etcd answers every namespace that uses the platform": (OWN, (SYSTEM, ETCD), [2379], _USERS),
    "members of NATS alone reach the port between members": (OWN, (SYSTEM, NATS), [6222], {"nats"}),
    "members of etcd alone reach the port between members": (OWN, (SYSTEM, ETCD), [2380], {"etcd"}),
    "the API server reaches the operator's webhook": (OWN, (SYSTEM, OPERATOR), [9443], set(PEERS)),
    "the chart's own NATS is protected as well": (BUNDLED, (SYSTEM, BUNDLED_NATS), [4222], _USERS),
    "and has no port between members": (BUNDLED, (SYSTEM, BUNDLED_NATS), [6222], set()),
}


@pytest.mark.parametrize("case", _CONNECTIONS)
def test_a_pod_answers_those_who_need_it_and_nobody_else(case: str) -> None:
    settings, target, ports, peers = _CONNECTIONS[case]
    for port in ports:
        assert {name for name, pod in PEERS.items() if _accepts(settings, target, port, pod)} == peers, port


def test_an_exposed_frontend_answers_private_networks_alone() -> None:
    spec: Any = objects(recorded(EXPOSED))["NetworkPolicy gpt-oss-disagg-frontend"].inputs["spec"]
    peers = [peer for rule in spec["ingress"] for peer in rule["from"]]
    blocks = [peer["ipBlock"]["cidr"] for peer in peers if "ipBlock" in peer]
    assert blocks == ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"]


@pytest.mark.parametrize(("server", "port"), [(NATS, 4222), (ETCD, 2379)], ids=["nats", "etcd"])
def test_a_namespace_that_does_not_use_the_platform_is_refused_though_the_servers_are_in_it(
    server: dict[str, str], port: int
) -> None:
    assert not _accepts(OWN, (UNLABELLED, server), port, (UNLABELLED, ANY))
    # Members of etcd ask each other as clients too.
    assert _accepts(OWN, (UNLABELLED, server), port, (UNLABELLED, ETCD)) is (server is ETCD)


def test_a_single_server_opens_no_port_for_members() -> None:
    single = {"kind": "own", "members": 1, "storageClassName": "fast-disks"}
    settings = _settings(platform={"nats": single, "etcd": single})
    for server, port in ((NATS, 6222), (ETCD, 2380)):
        assert not _accepts(settings, (SYSTEM, server), port, (SYSTEM, server))


def test_policies_stand_before_the_pods_cover_no_servers_of_others_and_can_be_left_out() -> None:
    graph = recorded(OWN)
    [component] = graph.of_type("dynamo-stack:components:NetworkPolicies")
    assert graph.depends_on(objects(graph)["DynamoGraphDeployment gpt-oss-disagg"], component)
    external = _settings(platform={"nats": {"kind": "external", "address": "nats://nats.example.com:4222"}})
    assert "dynamo-nats" not in named(recorded(external), "NetworkPolicy")
    assert named(recorded(_settings(networkPolicies=False)), "NetworkPolicy") == []


def test_servers_admit_the_namespace_of_an_existing_volume_though_nobody_labelled_it() -> None:
    settings = _settings(model={"source": {"kind": "existingVolume", "claimName": "weights"}})
    del settings["modelCache"]
    assert _accepts(settings, (SYSTEM, NATS), 4222, (UNLABELLED_SERVING, DECODE))
    assert not _accepts(settings, (SYSTEM, NATS), 4222, (STRANGER, ANY))
