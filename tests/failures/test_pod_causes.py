"""What a line about a pod says beside the pod's state."""

from typing import Any

import pytest

from failures.pods_and_events import pod_causes
from tests.failures.conftest import AnsweringCluster
from tests.failures.objects import CLUSTER, PENDING, READY, UNSCHEDULABLE

PORTS = [{"name": "system", "containerPort": 9090}, {"containerPort": 19090}]
RUNNING = {"state": {"running": {}}}
WAITING = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}


def _pod(status: dict[str, Any], **container: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "decode", "namespace": "gpt-oss"},
        "spec": {"nodeName": "tray-0", "containers": [{"name": "main", **container}]},
        "status": {"phase": "Running", "containerStatuses": [{"name": "main", **status}]},
    }


def _crashed(message: str, **container: Any) -> dict[str, Any]:
    ended = {"terminated": {"reason": "Error", "exitCode": 1, "message": message}}
    return _pod({"state": WAITING, "lastState": ended}, **container)


def _event(reason: str, when: str) -> dict[str, Any]:
    return {"type": "Warning", "reason": reason, "message": "said", "lastTimestamp": when}


def test_a_crash_says_the_words_that_the_status_keeps_and_asks_for_nothing_more(
    cluster: AnsweringCluster,
) -> None:
    assert pod_causes(CLUSTER, [READY, _crashed("no such flag")]) == [
        "decode: main waiting, CrashLoopBackOff back-off 10s; "
        "before that it ended with exit code 1: no such flag"
    ]
    assert cluster.asked() == []


def test_a_crash_whose_status_keeps_nothing_says_the_end_of_its_log(cluster: AnsweringCluster) -> None:
    cluster.logs("loading\nno such flag\n")
    [line] = pod_causes(CLUSTER, [_crashed("")])
    assert line.endswith("it ended with exit code 1; the end of its log: loading / no such flag")
    [asked] = cluster.asked()
    assert (
        asked == "--context somewhere logs decode --namespace gpt-oss --container main --tail=80 --previous"
    )


def test_a_container_that_has_ended_and_not_begun_again_has_one_log(cluster: AnsweringCluster) -> None:
    cluster.logs("no such flag\n")
    ended = {"terminated": {"reason": "OOMKilled", "exitCode": 137}}
    assert pod_causes(CLUSTER, [_pod({"state": ended})]) == [
        "decode: main terminated, OOMKilled; the end of its log: no such flag"
    ]
    assert "--previous" not in cluster.asked()[0]


def test_words_about_nats_come_with_the_address_that_was_asked() -> None:
    env = [{"name": "OTHER", "value": "x"}, {"name": "NATS_SERVER", "value": "nats://elsewhere:4222"}]
    [line] = pod_causes(CLUSTER, [_crashed("Exception: Failed to connect to NATS", env=env)])
    assert line.endswith("Failed to connect to NATS; its NATS_SERVER is nats://elsewhere:4222")


@pytest.mark.parametrize("port", [9091, "http"])
@pytest.mark.parametrize("handler", ["httpGet", "tcpSocket"])
def test_a_probe_of_a_port_that_the_container_does_not_have_is_named_with_those_that_it_has(
    handler: str, port: int | str, cluster: AnsweringCluster
) -> None:
    assert cluster
    probe = {handler: {"port": port}}
    assert pod_causes(CLUSTER, [_pod(RUNNING, ports=PORTS, startupProbe=probe)]) == [
        f"decode: Running, started but not ready; its startupProbe asks port {port}, and container main has "
        "9090 (system), 19090 (unnamed)"
    ]


@pytest.mark.parametrize("port", [9090, "system", 19090])
def test_a_probe_of_a_port_that_is_there_is_not_named(port: int | str, cluster: AnsweringCluster) -> None:
    assert cluster
    probe = {"httpGet": {"port": port}}
    pod = _pod(RUNNING, ports=PORTS, readinessProbe=probe, livenessProbe={"exec": {"command": ["true"]}})
    assert pod_causes(CLUSTER, [pod]) == ["decode: Running, started but not ready"]


def test_a_process_that_runs_says_the_newest_of_its_pod_s_warnings(cluster: AnsweringCluster) -> None:
    cluster.answers(
        events=[_event("Unhealthy", "2026-11-23T10:00:02Z"), _event("Failed", "2026-11-23T10:00:01Z")]
    )
    assert pod_causes(CLUSTER, [_pod(RUNNING)]) == ["decode: Running, started but not ready; Unhealthy: said"]


def test_a_pod_without_a_node_is_left_in_the_schedulers_words(cluster: AnsweringCluster) -> None:
    assert pod_causes(CLUSTER, [PENDING]) == [f"decode: Pending, {UNSCHEDULABLE}"]
    assert cluster.asked() == []


def test_of_many_pods_three_are_looked_at_closer(cluster: AnsweringCluster) -> None:
    cluster.logs("no such flag")
    lines = pod_causes(CLUSTER, [_crashed("")] * 5)
    assert [line.endswith("no such flag") for line in lines] == [True] * 3 + [False] * 2
    assert len(cluster.asked()) == 3
