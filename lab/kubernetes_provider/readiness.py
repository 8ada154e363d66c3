"""Which wait an object gets: none, its own condition, or the one of its kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import (
    await_daemon_set,
    await_deployment,
    await_ingress,
    await_job,
    await_pod,
    await_service,
    await_stateful_set,
    await_storage,
    object_annotations,
    wait_for,
)
from lab.kubernetes_provider.conditions import generic_readiness
from lab.kubernetes_provider.waiting import CONDITION_TIMED_OUT, Wait

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.kubernetes_provider.cluster import Cluster


@dataclass(frozen=True)
class Subject:
    """What a kind's wait may need to know beside the object itself."""

    cluster: Cluster
    is_update: bool = False


# Kind by apiVersion/kind -> the wait of a create or update.
_WAITS: dict[str, Callable[[Subject], Wait]] = {
    "apps/v1/Deployment": lambda subject: await_deployment.wait(subject.cluster),
    "apps/v1/StatefulSet": lambda subject: await_stateful_set.wait(
        subject.cluster, is_update=subject.is_update
    ),
    "apps/v1/DaemonSet": lambda _: await_daemon_set.WAIT,
    "batch/v1/Job": lambda subject: await_job.wait(subject.cluster),
    "v1/Pod": lambda _: await_pod.WAIT,
    "v1/Service": lambda subject: await_service.wait(subject.cluster),
    "networking.k8s.io/v1/Ingress": lambda subject: await_ingress.wait(subject.cluster),
    "v1/PersistentVolumeClaim": lambda subject: await_storage.wait_for_claim(
        subject.cluster, is_update=subject.is_update
    ),
    "v1/PersistentVolume": lambda _: await_storage.VOLUME,
    "v1/ResourceQuota": lambda _: await_storage.QUOTA,
    "v1/Secret": lambda _: await_storage.TOKEN_SECRET,
}

# A refresh looks once at these, and records that they are not ready.
_READ_WAITS = frozenset(
    {
        "apps/v1/Deployment",
        "apps/v1/StatefulSet",
        "apps/v1/DaemonSet",
        "batch/v1/Job",
        "v1/Pod",
        "v1/Service",
        "networking.k8s.io/v1/Ingress",
    }
)


def wait_of(
    subject: Subject, inputs: dict[str, Any], live: dict[str, Any], *, await_all: bool
) -> Wait | None:
    """The wait after a create or update, None for an object that counts as ready at once."""
    if object_annotations.is_true(inputs, object_annotations.SKIP_AWAIT):
        return None
    custom = object_annotations.value(inputs, object_annotations.WAIT_FOR)
    if custom:
        checks = wait_for.parse(custom)
        return Wait(check=lambda found: wait_for.check_all(checks, found), timed_out=CONDITION_TIMED_OUT)
    make = _WAITS.get(f"{live['apiVersion']}/{live['kind']}")
    if make is not None:
        return make(subject)
    return Wait(check=generic_readiness, timed_out=CONDITION_TIMED_OUT) if await_all else None


def problems_at_refresh(subject: Subject, inputs: dict[str, Any], live: dict[str, Any]) -> list[str] | None:
    """Why an object is not ready now, None when it is or when a refresh does not ask for its kind."""
    key = f"{live['apiVersion']}/{live['kind']}"
    if key not in _READ_WAITS or object_annotations.is_true(inputs, object_annotations.SKIP_AWAIT):
        return None
    if key == "v1/Service":
        readiness = await_service.Endpoints(subject.cluster, settle_seconds=0)(live)
    else:
        readiness = _WAITS[key](subject).check(live)
    return None if readiness.ready else list(readiness.reasons)
