"""Which connections the pods accept, asked as a packet would: from whom, to whom, on which port."""

from __future__ import annotations

from typing import Any

import pytest

from tests.components.recorded import named, objects, recorded
from tests.support.dev_settings import disagg_b200_settings
from tests.support.network_policies import Labelled, accepts

SYSTEM = {"kubernetes.io/metadata.name": "dynamo-system", "uses-dynamo-platform": "dynamo-system"}
SERVING = {"kubernetes.io/metadata.name": "gpt-oss", "uses-dynamo-platform": "dynamo-system"}
SECOND = {"kubernetes.io/metadata.name": "gpt-oss-batch", "uses-dynamo-platform": "dynamo-system"}
STRANGER = {"kubernetes.io/metadata.name": "stranger"}

GRAPH = "nvidia.com/dynamo-graph-deployment-name"
TYPE = "nvidia.com/dynamo-component-type"
FRONTEND = {GRAPH: "gpt-oss-disagg", TYPE: "frontend"}
DECODE = {GRAPH: "gpt-oss-disagg", TYPE: "decode"}
OTHER_GRAPH = {GRAPH: "another", TYPE: "decode"}
NATS = {"app.kubernetes.io/name": "dynamo-nats"}
ETCD = {"app.kubernetes.io/name": "dynamo-etcd"}
PROMETHEUS = {"app.kubernetes.io/name": "prometheus"}
ANY = {"app": "any"}


def _settings(**serving: Any) -> dict[str, Any]:
    settings = disagg_b200_settings()
    own = {"kind": "own", "members": 3, "storageClassName": "fast-disks"}
    settings["platform"] |= {"discovery": "etcd", "etcd": own}
    settings["serving"] |= serving
    return settings


def _accepts(
    settings: dict[str, Any],
    target: tuple[dict[str, str], dict[str, str]],
    port: int,
    source: tuple[dict[str, str], dict[str, str]],
) -> bool:
    """Whether a pod (labels of its namespace, labels of its own) accepts a connection from another."""
    policies: list[Any] = [each.inputs for each in recorded(settings).kubernetes_objects("NetworkPolicy")]
    return accepts(policies, Labelled(*target), port, Labelled(*source))


@pytest.mark.parametrize("port", [9090, 37451])
def test_pods_of_a_graph_talk_to_each_other_on_any_port_and_nobody_else_to_workers(port: int) -> None:
    worker = (SERVING, DECODE)
    assert _accepts(_settings(), worker, port, (SERVING, FRONTEND))
    assert _accepts(_settings(), worker, port, (SERVING, DECODE))
    for source in (
        (SERVING, ANY),
        (SERVING, OTHER_GRAPH),
        (SECOND, FRONTEND),
        (SYSTEM, ANY),
        (STRANGER, ANY),
    ):
        assert not _accepts(_settings(), worker, port, source)


def test_the_frontend_answers_its_own_namespace_and_no_other() -> None:
    frontend = (SERVING, FRONTEND)
    assert _accepts(_settings(), frontend, 8000, (SERVING, ANY))
    assert not _accepts(_settings(), frontend, 8000, (STRANGER, ANY))
    assert not _accepts(_settings(), frontend, 9090, (SERVING, ANY))


def test_an_exposed_frontend_answers_the_network_and_its_workers_still_do_not() -> None:
    settings = _settings(exposure={"kind": "internalLoadBalancer"})
    assert _accepts(settings, (SERVING, FRONTEND), 8000, (STRANGER, ANY))
    assert not _accepts(settings, (SERVING, DECODE), 8000, (STRANGER, ANY))
    spec: Any = objects(recorded(settings))["NetworkPolicy gpt-oss-disagg-frontend"].inputs["spec"]
    blocks = [
        peer["ipBlock"]["cidr"] for rule in spec["ingress"] for peer in rule["from"] if "ipBlock" in peer
    ]
    assert blocks == ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"]


def test_prometheus_and_nobody_else_reads_metrics_where_a_monitor_was_typed() -> None:
    watched = _settings(podMonitor={})
    for target, port in ((FRONTEND, 8000), (DECODE, 9090), (DECODE, 19090)):
        assert _accepts(watched, (SERVING, target), port, (STRANGER, PROMETHEUS))
        assert not _accepts(watched, (SERVING, target), port, (STRANGER, ANY))
        assert not _accepts(_settings(), (SERVING, target), port, (STRANGER, PROMETHEUS))


@pytest.mark.parametrize(("server", "port"), [(NATS, 4222), (ETCD, 2379)])
def test_servers_answer_every_namespace_that_uses_the_platform_and_no_other(
    server: dict[str, str], port: int
) -> None:
    for namespace in (SYSTEM, SERVING, SECOND):
        assert _accepts(_settings(), (SYSTEM, server), port, (namespace, ANY))
    assert not _accepts(_settings(), (SYSTEM, server), port, (STRANGER, ANY))


@pytest.mark.parametrize(("server", "port"), [(NATS, 4222), (ETCD, 2379)])
def test_a_namespace_that_does_not_use_the_platform_is_refused_though_the_servers_are_in_it(
    server: dict[str, str], port: int
) -> None:
    unlabelled = {"kubernetes.io/metadata.name": "dynamo-system"}
    assert not _accepts(_settings(), (unlabelled, server), port, (unlabelled, ANY))


def test_etcd_members_ask_each_other_as_clients_too() -> None:
    unlabelled = {"kubernetes.io/metadata.name": "dynamo-system"}
    assert _accepts(_settings(), (unlabelled, ETCD), 2379, (unlabelled, ETCD))


def test_a_single_server_opens_no_port_for_members() -> None:
    single = _settings()
    for kind in ("nats", "etcd"):
        single["platform"][kind] |= {"members": 1}
    for server, port in ((NATS, 6222), (ETCD, 2380)):
        assert not _accepts(single, (SYSTEM, server), port, (SYSTEM, server))


@pytest.mark.parametrize(("server", "port"), [(NATS, 6222), (ETCD, 2380)])
def test_only_members_reach_the_port_between_members(server: dict[str, str], port: int) -> None:
    assert _accepts(_settings(), (SYSTEM, server), port, (SYSTEM, server))
    for source in ((SYSTEM, ANY), (SERVING, FRONTEND), (STRANGER, server)):
        assert not _accepts(_settings(), (SYSTEM, server), port, source)


def test_nothing_stands_between_the_api_server_and_the_operators_webhook() -> None:
    operator = {"app.kubernetes.io/name": "dynamo-operator", "control-plane": "controller-manager"}
    assert _accepts(_settings(), (SYSTEM, operator), 9443, (STRANGER, ANY))


def test_the_charts_own_servers_are_protected_as_well_and_those_of_others_are_not_ours() -> None:
    bundled = _settings()
    bundled["platform"] |= {"nats": {"kind": "bundled", "storageClassName": "fast-disks"}}
    server = {"app.kubernetes.io/name": "nats", "app.kubernetes.io/instance": "dynamo-platform"}
    assert _accepts(bundled, (SYSTEM, server), 4222, (SERVING, FRONTEND))
    assert not _accepts(bundled, (SYSTEM, server), 4222, (STRANGER, ANY))
    assert not _accepts(bundled, (SYSTEM, server), 6222, (SYSTEM, server))
    external = _settings()
    external["platform"] |= {"nats": {"kind": "external", "address": "nats://nats.example.com:4222"}}
    assert "dynamo-nats" not in named(recorded(external), "NetworkPolicy")


def test_policies_stand_before_the_pods_and_can_be_left_out() -> None:
    graph = recorded(_settings())
    [component] = graph.of_type("dynamo-stack:components:NetworkPolicies")
    assert graph.depends_on(objects(graph)["DynamoGraphDeployment gpt-oss-disagg"], component)
    assert named(recorded(_settings() | {"networkPolicies": False}), "NetworkPolicy") == []


def test_servers_admit_the_namespace_of_an_existing_volume_though_nobody_labelled_it() -> None:
    settings = _settings()
    settings["model"] = {"source": {"kind": "existingVolume", "claimName": "weights"}}
    del settings["modelCache"]
    unlabelled = {"kubernetes.io/metadata.name": "gpt-oss"}
    assert _accepts(settings, (SYSTEM, NATS), 4222, (unlabelled, DECODE))
    assert not _accepts(settings, (SYSTEM, NATS), 4222, (STRANGER, ANY))
