"""Rules about what an update may not change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.admission.gpu_sharing_rules import INTER_POD
from lab.dynamo_operator.admission.rule import Refused, services_of

if TYPE_CHECKING:
    from lab.controller.api import Manifest

_SCALERS = ("dynamo-operator-controller-manager", "planner-serviceaccount")


def check_update(old: Manifest, new: Manifest, user: str) -> None:
    """Raises Refused at the first fixed thing that the update changes; `user` is who sends it."""
    if old["spec"].get("backendFramework") != new["spec"].get("backendFramework"):
        raise Refused("spec.backendFramework is immutable and cannot be changed after creation")
    _check_service_names(services_of(old), services_of(new))
    if old["spec"].get("topologyConstraint") != new["spec"].get("topologyConstraint"):
        raise Refused(
            "spec.topologyConstraint is immutable and cannot be added, removed, or changed after creation"
        )
    _check_restart(old, new)
    for name, service in sorted(services_of(new).items()):
        _check_service(f"spec.services[{name}]", services_of(old)[name], service, user)


def _check_service_names(old: dict[str, Manifest], new: dict[str, Manifest]) -> None:
    added, removed = sorted(set(new) - set(old)), sorted(set(old) - set(new))
    changes = [
        f"{verb}: [{', '.join(names)}]" for verb, names in (("added", added), ("removed", removed)) if names
    ]
    if changes:
        raise Refused(
            "service topology is immutable and cannot be modified after creation: services "
            + ", ".join(changes)
        )


def _check_restart(old: Manifest, new: Manifest) -> None:
    rolling = ((old.get("status") or {}).get("rollingUpdate") or {}).get("phase")
    if rolling in {"Pending", "InProgress"} and _restart_id(old) != _restart_id(new):
        raise Refused("spec.restart.id cannot be changed while a rolling update is in progress")


def _check_service(where: str, old: Manifest, new: Manifest, user: str) -> None:
    if ("multinode" in old) != ("multinode" in new):
        raise Refused(
            f"{where} cannot change node topology between single-node and multi-node after creation"
        )
    if old.get("topologyConstraint") != new.get("topologyConstraint"):
        raise Refused(f"{where}.topologyConstraint is immutable and cannot be added, removed, or changed")
    for field in ("gpuMemoryService", "failover"):
        if _inter_pod(old.get(field)) != _inter_pod(new.get(field)):
            raise Refused(f"{where}.{field}: interPod layout is immutable after creation")
    _check_replicas(where, old, new, user)


def _check_replicas(where: str, old: Manifest, new: Manifest, user: str) -> None:
    if not (new.get("scalingAdapter") or {}).get("enabled") or old.get("replicas") == new.get("replicas"):
        return
    if not user.endswith(_SCALERS):
        raise Refused(
            f"{where}.replicas cannot be modified directly when scaling adapter is enabled;"
            " scale the DynamoGraphDeploymentScalingAdapter instead"
        )


def _inter_pod(setting: Manifest | None) -> Any:
    """Fixed parts of a GPU memory service or failover setting: whether it spans pods, and its shadows."""
    if not setting or not setting.get("enabled") or setting.get("mode") != INTER_POD:
        return None
    return ("interPod", setting.get("numShadows"))


def _restart_id(graph: Manifest) -> str | None:
    return (graph["spec"].get("restart") or {}).get("id")
