"""Waits: when a resource counts as ready, and what is said and recorded when it does not become so."""

import threading
import time
from collections.abc import Callable

from tests.lab.conformance.toy import POD, Toy

_POLL_SECONDS = 0.2
_DEADLINE_SECONDS = 60

_SERVED = (
    "--subresource=status",
    "--type=merge",
    "--patch",
    '{"status": {"conditions": [{"type": "Served", "status": "True", "reason": "R", "message": "m",'
    ' "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}',
)


def test_workloads_are_waited_for_until_their_pods_are_ready(toy: Toy) -> None:
    toy.up(
        POD
        + """
k8s.apps.v1.Deployment("d", metadata=named("d"), spec=workload("d", replicas=2))
k8s.apps.v1.StatefulSet("s", metadata=named("s"), spec=workload("s", replicas=2, service_name="s"))
k8s.apps.v1.DaemonSet("e", metadata=named("e"), spec=workload("e"))
k8s.core.v1.Pod("p", metadata=named("p"), spec={"containers": [CONTAINER]})
job = {"template": {"spec": {"restart_policy": "Never", "containers": [CONTAINER]}}}
k8s.batch.v1.Job("j", metadata=named("j"), spec=job)
"""
    )
    outputs = {name: toy.state(name)["outputs"]["status"] for name in "dsepj"}
    assert outputs["d"]["readyReplicas"] == 2
    assert outputs["s"]["readyReplicas"] == 2
    assert outputs["e"]["numberReady"] == outputs["e"]["desiredNumberScheduled"] > 0
    assert {"type": "Ready", "status": "True"}.items() <= _condition(outputs["p"], "Ready").items()
    assert outputs["j"]["succeeded"] == 1


def test_a_wait_that_times_out_leaves_the_resource_in_the_state_with_its_error(toy: Toy) -> None:
    program = (
        POD
        + """
soon = {"pulumi.com/timeoutSeconds": "2"}
k8s.apps.v1.Deployment("d", metadata=named("d", soon), spec=workload("d", WHICH))
"""
    )
    output = toy.failing_up(program.replace("WHICH", "HUGE"))
    assert "was successfully created, but the Kubernetes API server reported that it failed" in output
    assert "'d' timed out waiting to be Ready" in output
    assert "Minimum number of live Pods was not attained" in output
    # Why is the scheduler's to say.
    assert "Insufficient cpu" not in " ".join(toy.state("d")["initErrors"])
    # The next update takes it up from there.
    uid = toy.get("deployment", "d")["metadata"]["uid"]
    toy.up(program.replace("WHICH", "CONTAINER"))
    assert toy.get("deployment", "d")["metadata"]["uid"] == uid
    assert "initErrors" not in toy.state("d")


def test_skip_await_and_custom_timeouts_decide_how_long_to_wait(toy: Toy) -> None:
    toy.up(
        POD
        + """
k8s.apps.v1.Deployment("d", metadata=named("d", {"pulumi.com/skipAwait": "true"}), spec=workload("d", HUGE))
"""
    )
    started = time.monotonic()
    output = toy.failing_up(
        POD
        + """
k8s.core.v1.Pod("p", metadata=named("p", {"pulumi.com/timeoutSeconds": "600"}), spec={"containers": [HUGE]},
                opts=options(custom_timeouts=pulumi.CustomTimeouts(create="1s")))
"""
    )
    assert "'p' timed out waiting to be Ready" in output
    assert time.monotonic() - started < _DEADLINE_SECONDS


def test_a_job_that_has_failed_for_good_is_not_waited_for(toy: Toy) -> None:
    output = toy.failing_up(
        POD
        + """
k8s.batch.v1.Job("j", metadata=named("j"), spec={"active_deadline_seconds": 1,
    "template": {"spec": {"restart_policy": "Never", "containers": [HUGE]}}})
"""
    )
    assert "Resource 'j' was created but failed to initialize" in output
    assert "[DeadlineExceeded] Job was active longer than specified deadline" in output


def test_wait_for_waits_for_a_condition_on_any_kind(toy: Toy) -> None:
    _in_background(lambda: toy.kubectl("patch", "service", "s", *_SERVED))
    toy.up("""
        # Without it this Service would be waited for by its endpoints, for ten seconds.
        wait = {"pulumi.com/waitFor": "condition=Served"}
        spec = {"ports": [{"port": 80}], "selector": {"app": "none"}}
        k8s.core.v1.Service("s", metadata=named("s", wait), spec=spec)
    """)
    assert toy.state("s")["outputs"]["status"]["conditions"][0]["type"] == "Served"


def test_wait_for_says_nothing_of_what_a_controller_says_beside_its_condition(toy: Toy) -> None:
    unserved = (*_SERVED[:-1], _SERVED[-1].replace('"True"', '"False"').replace('"m"', '"controllers-words"'))
    _in_background(lambda: toy.kubectl("patch", "service", "s", *unserved))
    output = toy.failing_up("""
        wait = {"pulumi.com/waitFor": "condition=Served", "pulumi.com/timeoutSeconds": "5"}
        k8s.core.v1.Service("s", metadata=named("s", wait), spec={"ports": [{"port": 80}]})
    """)
    assert "timed out waiting for the condition" in output
    errors = " ".join(toy.state("s")["initErrors"])
    assert "timed out waiting for the condition" in errors
    assert "controllers-words" not in errors


def test_a_claim_that_waits_for_its_consumer_is_ready_while_pending(toy: Toy) -> None:
    toy.up("""
        storage_class = k8s.storage.v1.StorageClass("class", metadata={"name": NAMESPACE},
            provisioner="toys.example.com/none", volume_binding_mode="WaitForFirstConsumer")
        k8s.core.v1.PersistentVolumeClaim("claim", metadata=named("claim"), spec={
            "access_modes": ["ReadWriteOnce"], "storage_class_name": storage_class.metadata.name,
            "resources": {"requests": {"storage": "1Gi"}}})
        volume = k8s.core.v1.PersistentVolume("volume", metadata={"name": NAMESPACE}, spec={
            "access_modes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "host_path": {"path": "/toy"},
            "storage_class_name": ""})
        k8s.core.v1.PersistentVolumeClaim("bound", metadata=named("bound"), spec={
            "access_modes": ["ReadWriteOnce"], "storage_class_name": "", "volume_name": volume.metadata.name,
            "resources": {"requests": {"storage": "1Gi"}}})
    """)
    phases = {name: toy.state(name)["outputs"]["status"]["phase"] for name in ("claim", "bound")}
    assert phases == {"claim": "Pending", "bound": "Bound"}


def test_what_nobody_balances_says_what_is_missing(toy: Toy) -> None:
    output = toy.failing(
        "up",
        "--yes",
        "--skip-preview",
        "--continue-on-error",
        program="""
        soon = {"pulumi.com/timeoutSeconds": "1"}
        service = {"type": "LoadBalancer", "ports": [{"port": 80}]}
        k8s.core.v1.Service("s", metadata=named("s", soon), spec=service)
        backend = {"service": {"name": "absent", "port": {"number": 80}}}
        path = {"path": "/", "path_type": "Prefix", "backend": backend}
        rules = [{"http": {"paths": [path]}}]
        k8s.networking.v1.Ingress("i", metadata=named("i", soon), spec={"rules": rules})
    """,
    )
    assert "Service was not allocated an IP address; does your cloud provider support this?" in output
    assert "Ingress .status.loadBalancer field was not updated" in output


def _condition(status: dict[str, list[dict[str, str]]], name: str) -> dict[str, str]:
    return next(each for each in status["conditions"] if each["type"] == name)


def _in_background(change: Callable[[], object]) -> None:
    """Tries a change until the object that it needs exists, or until a deadline."""

    def attempt() -> None:
        deadline, pause = time.monotonic() + _DEADLINE_SECONDS, threading.Event()
        while time.monotonic() < deadline:
            try:
                change()
            except AssertionError:
                pause.wait(_POLL_SECONDS)
            else:
                return

    threading.Thread(target=attempt, daemon=True).start()
