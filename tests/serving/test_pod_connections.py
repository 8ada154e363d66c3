"""Which connection between pods a socket on this machine's loopback interface is."""

from __future__ import annotations

from typing import Any

from lab.kubelet.kubelet import RUNS_HERE
from tests.serving.pod_connections import ClusterNetwork, Dial, Socket, dials, in_words

HTTP, CHOSEN = 8000, 40001
FRONTEND, WORKER = "127.70.200.1", "127.70.200.2"
SERVICE, LOOPBACK = "127.70.0.9", "127.0.0.1"


def pod(uid: str, kind: str, address: str, **annotations: str) -> dict[str, Any]:
    labels = {"nvidia.com/dynamo-component-type": kind}
    metadata = {"name": f"{uid}-x", "namespace": "gpt-oss", "uid": uid, "labels": labels}
    status = {"podIP": "10" + address.removeprefix("127")}
    return {"metadata": {**metadata, "annotations": annotations}, "status": status}


def network() -> ClusterNetwork:
    """A frontend behind a Service, a worker, and a pod of kwok's."""
    found = ClusterNetwork()
    namespace = {"metadata": {"name": "gpt-oss", "labels": {"kubernetes.io/metadata.name": "gpt-oss"}}}
    named = {"name": "front", "namespace": "gpt-oss"}
    port = {"name": "http", "port": 80}
    service = {"metadata": named, "spec": {"clusterIP": SERVICE, "ports": [port]}}
    endpoints = {
        "metadata": {**named, "labels": {"kubernetes.io/service-name": "front"}},
        "ports": [{"name": "http", "port": HTTP}],
        "endpoints": [{"addresses": ["10.70.200.1"], "targetRef": {"uid": "frontend"}}],
    }
    pods = [
        pod("frontend", "frontend", FRONTEND, **{RUNS_HERE: "true"}),
        pod("worker", "decode", WORKER, **{RUNS_HERE: "true"}),
        pod("simulated", "download", LOOPBACK),
    ]
    found.look(slices=[endpoints], services=[service], namespaces=[namespace], pods=pods)
    return found


def shown(dial: Dial) -> list[str] | None:
    found = network().connections(dial)
    return None if found is None else [in_words(each) for each in found]


def test_a_connection_counts_from_the_side_that_opened_it() -> None:
    sockets = [
        Socket("frontend", (FRONTEND, HTTP), None),
        Socket("frontend", (FRONTEND, HTTP), (LOOPBACK, CHOSEN)),
        Socket("worker", (LOOPBACK, CHOSEN), (FRONTEND, HTTP)),
    ]
    assert dials(sockets) == {Dial("worker", (FRONTEND, HTTP), "frontend")}


def test_who_listens_on_the_shared_address_is_found_by_its_process() -> None:
    sockets = [
        Socket("frontend", (LOOPBACK, CHOSEN), None),
        Socket("worker", (LOOPBACK, 50000), (LOOPBACK, CHOSEN)),
    ]
    [dial] = dials(sockets)
    assert shown(dial) == ["gpt-oss/decode -> gpt-oss/frontend:40001"]


def test_who_listens_everywhere_is_found_at_any_address() -> None:
    sockets = [
        Socket("frontend", ("::", HTTP), None),
        Socket("worker", (LOOPBACK, 50000), (FRONTEND, HTTP)),
        Socket("frontend", (FRONTEND, HTTP), (LOOPBACK, 50000)),
    ]
    assert dials(sockets) == {Dial("worker", (FRONTEND, HTTP), "frontend")}


def test_a_pod_is_found_by_its_address_where_it_does_not_listen_yet() -> None:
    [dial] = dials([Socket("worker", (LOOPBACK, 50000), (FRONTEND, HTTP))])
    assert shown(dial) == ["gpt-oss/decode -> gpt-oss/frontend:8000"]


def test_behind_a_service_s_address_is_its_pod_with_the_pod_s_port() -> None:
    assert shown(Dial("worker", (SERVICE, 80), None)) == ["gpt-oss/decode -> gpt-oss/frontend:8000"]


def test_what_leads_to_no_pod_is_no_connection_between_pods() -> None:
    assert shown(Dial("worker", (SERVICE, 81), None)) is None
    assert shown(Dial("worker", (LOOPBACK, 6443), None)) is None


def test_no_policy_stands_between_a_pod_and_itself() -> None:
    assert shown(Dial("frontend", (FRONTEND, HTTP), "frontend")) == []
    assert shown(Dial("frontend", (SERVICE, 80), None)) == []


def test_what_has_gone_since_is_still_known() -> None:
    found = network()
    found.look(slices=[], services=[], namespaces=[], pods=[])
    connections = found.connections(Dial("worker", (SERVICE, 80), None))
    assert connections is not None
    assert [in_words(each) for each in connections] == ["gpt-oss/decode -> gpt-oss/frontend:8000"]
