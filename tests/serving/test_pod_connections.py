"""Which connection between pods a socket on this machine's loopback interface is."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("dial", "said"),
    [
        (Dial("worker", (FRONTEND, HTTP), None), ["gpt-oss/decode -> gpt-oss/frontend:8000"]),
        (Dial("worker", (SERVICE, 80), None), ["gpt-oss/decode -> gpt-oss/frontend:8000"]),
        (Dial("worker", (SERVICE, 81), None), None),
        (Dial("worker", (LOOPBACK, 6443), None), None),
        (Dial("frontend", (FRONTEND, HTTP), "frontend"), []),
        (Dial("frontend", (SERVICE, 80), None), []),
    ],
    ids=[
        "a pod's address where it does not listen yet",
        "a Service's address and its pod's port",
        "a port that the Service does not have",
        "no pod",
        "itself",
        "itself behind its Service",
    ],
)
def test_an_address_leads_to_other_pods_or_to_none(dial: Dial, said: list[str] | None) -> None:
    assert shown(dial) == said


def test_what_has_gone_since_is_still_known() -> None:
    found = network()
    found.look(slices=[], services=[], namespaces=[], pods=[])
    connections = found.connections(Dial("worker", (SERVICE, 80), None))
    assert connections is not None
    assert [in_words(each) for each in connections] == ["gpt-oss/decode -> gpt-oss/frontend:8000"]
