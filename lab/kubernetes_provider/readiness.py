"""Which wait an object gets: none, its own condition, or the one of its kind."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from lab.kubernetes_provider import object_annotations, workload_waits
from lab.kubernetes_provider.waiting import (
    CONDITION_TIMED_OUT,
    READY,
    Readiness,
    Subject,
    Wait,
    not_ready,
    wait_until_ready,
)

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Cluster, Manifest
    from lab.kubernetes_provider.session import Session

# So that a rehearsal of a claim without a volume does not take five minutes.
SHORTER_VOLUME_WAIT = "LAB_VOLUME_WAIT_SECONDS"

NO_PODS = (
    "Service does not target any Pods. Selected Pods may not be ready, or "
    "field '.spec.selector' may not match labels on any Pods"
)
NO_ADDRESS = "Service was not allocated an IP address; does your cloud provider support this?"
NO_INGRESS_ADDRESS = (
    "Ingress .status.loadBalancer field was not updated with a hostname/IP address. "
    "for more information about this error, see https://pulumi.io/xdv72s"
)


def service(subject: Subject, live: Manifest) -> Readiness:
    """Ready when its endpoints have not changed for ten seconds, and a load balancer has its address."""
    spec, metadata = live["spec"], live["metadata"]
    if spec.get("type") == "LoadBalancer" and not _has_address(live):
        return not_ready(NO_ADDRESS)
    if not spec.get("selector") or spec.get("clusterIP") == "None" or spec.get("type") == "ExternalName":
        return READY
    endpoints = subject.cluster.find("v1", "Endpoints", metadata["namespace"], metadata["name"])
    version = endpoints["metadata"]["resourceVersion"] if endpoints else ""
    since = subject.seen.setdefault(version, time.monotonic())
    if any(subset.get("notReadyAddresses") for subset in (endpoints or {}).get("subsets") or []):
        return not_ready(NO_PODS)
    if time.monotonic() - since < subject.settle_seconds:
        return not_ready("Waiting for the Service's endpoints to settle")
    return READY


def ingress(subject: Subject, live: Manifest) -> Readiness:
    """Every path leads to endpoints and the controller has published an address."""
    namespace = live["metadata"]["namespace"]
    paths = [
        (f"{rule.get('host', '*')}{path.get('path', '')}", backend["name"])
        for rule in live["spec"].get("rules") or []
        for path in (rule.get("http") or {}).get("paths") or []
        if (backend := (path.get("backend") or {}).get("service"))
    ]
    missing = [path for path, name in paths if not _leads_somewhere(subject.cluster, namespace, name)]
    reasons = [f"No matching service found for ingress rule: {path}" for path in missing]
    reasons += [] if _has_address(live) else [NO_INGRESS_ADDRESS]
    return not_ready(*reasons) if reasons else READY


def claim(subject: Subject, live: Manifest) -> Readiness:
    """Bound; one that waits for its first consumer is Pending."""
    wanted = {"Bound"}
    if _waits_for_consumer(subject.cluster, live):
        # On a create exactly Pending counts: nothing can have used the claim yet.
        wanted = {"Pending", "Bound"} if subject.is_update else {"Pending"}
    return _in_phase(live, wanted)


def volume(_: Subject, live: Manifest) -> Readiness:
    """Available or Bound."""
    return _in_phase(live, {"Available", "Bound"})


_STORAGE = Wait(
    volume, "Timeout occurred polling for '{name}'", float(os.environ.get(SHORTER_VOLUME_WAIT) or 300.0)
)
_WAITS = {
    "apps/v1/Deployment": Wait(workload_waits.deployment, is_read=True),
    "apps/v1/StatefulSet": Wait(workload_waits.stateful_set, is_read=True),
    "apps/v1/DaemonSet": Wait(workload_waits.daemon_set, CONDITION_TIMED_OUT, is_read=True),
    "batch/v1/Job": Wait(workload_waits.job, is_read=True),
    "v1/Pod": Wait(workload_waits.pod, is_read=True),
    "v1/Service": Wait(service, is_read=True),
    "networking.k8s.io/v1/Ingress": Wait(ingress, is_read=True),
    "v1/PersistentVolumeClaim": replace(_STORAGE, check=claim),
    "v1/PersistentVolume": _STORAGE,
}


def await_ready(
    session: Session, urn: str, inputs: Manifest, live: Manifest, seconds: float, *, is_update: bool = False
) -> Manifest | None:
    """Waits as the object or its kind asks for. Returns None for an object that counts as ready at once."""
    wait = wait_of(inputs, live)
    if wait is None:
        return None
    return wait_until_ready(
        wait,
        Subject(session.cluster, is_update),
        live,
        seconds=object_annotations.timeout_seconds(seconds, inputs),
        cancelled=session.cancelled,
        say=lambda text: session.host.status(urn, text),
    )


def wait_of(inputs: Manifest, live: Manifest) -> Wait | None:
    """The wait after a create or update, None where there is none."""
    if object_annotations.is_true(inputs, object_annotations.SKIP_AWAIT):
        return None
    if object_annotations.value(inputs, object_annotations.WAIT_FOR):
        name, status = object_annotations.awaited_condition(inputs)
        return Wait(lambda _, found: has_condition(found, name, status), CONDITION_TIMED_OUT)
    return _WAITS.get(f"{live['apiVersion']}/{live['kind']}")


def problems_at_refresh(cluster: Cluster, inputs: Manifest, live: Manifest) -> tuple[str, ...] | None:
    """Why an object is not ready now, None when it is or when a refresh does not ask for its kind."""
    wait = _WAITS.get(f"{live['apiVersion']}/{live['kind']}")
    if not wait or not wait.is_read or object_annotations.is_true(inputs, object_annotations.SKIP_AWAIT):
        return None
    readiness = wait.check(Subject(cluster, settle_seconds=0), live)
    return None if readiness.ready else readiness.reasons


def has_condition(live: Manifest, name: str, status: str) -> Readiness:
    """Whether a condition holds, compared without regard to case, as `kubectl wait` does.

    What the controller says beside the condition is told nowhere (pulumi-kubernetes
    provider/pkg/await/condition/kubectl.go).
    """
    conditions = (live.get("status") or {}).get("conditions")
    if conditions is None:
        return not_ready(status="Has no .status.conditions")
    found = next((each for each in conditions if str(each.get("type", "")).lower() == name.lower()), None)
    if found is None:
        return not_ready()
    expected = live["metadata"].get("generation")
    observed = found.get("observedGeneration", live["status"].get("observedGeneration"))
    if expected is not None and observed is not None and observed < expected:
        return not_ready(status=f"Generation {observed} is less than expected {expected}")
    if str(found.get("status", "")).lower() == status.lower():
        return READY
    return not_ready(status=f"Resource has condition {name}={found.get('status')} (want {status})")


def _has_address(live: Manifest) -> bool:
    return bool(((live.get("status") or {}).get("loadBalancer") or {}).get("ingress"))


def _leads_somewhere(cluster: Cluster, namespace: str, name: str) -> bool:
    target = cluster.find("v1", "Service", namespace, name)
    if target is not None and target["spec"].get("type") == "ExternalName":
        return True
    endpoints = cluster.find("v1", "Endpoints", namespace, name)
    return any(subset.get("addresses") for subset in (endpoints or {}).get("subsets") or [])


def _waits_for_consumer(cluster: Cluster, live: Manifest) -> bool:
    name = live["spec"].get("storageClassName")
    found = cluster.find("storage.k8s.io/v1", "StorageClass", None, name) if name else None
    return found is not None and found.get("volumeBindingMode") == "WaitForFirstConsumer"


def _in_phase(live: Manifest, wanted: set[str]) -> Readiness:
    phase = (live.get("status") or {}).get("phase")
    return READY if phase in wanted else not_ready(f"{live['kind']} is {phase}")
