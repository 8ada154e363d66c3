"""Rules about the graph as a whole, checked on create and update."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lab.dynamo_operator.admission.rule import Refused, annotations_of, is_positive_quantity, services_of

if TYPE_CHECKING:
    from lab.controller.api import Manifest

ORIGIN_VERSION = "nvidia.com/dynamo-operator-origin-version"
EXECUTOR_BACKEND = "nvidia.com/vllm-distributed-executor-backend"
DISCOVERY_MODE = "nvidia.com/dynamo-kube-discovery-mode"

_SEMANTIC_VERSION = re.compile(
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$"
)


def check_graph(graph: Manifest) -> None:
    """Raises Refused at the first rule that the graph breaks."""
    if not services_of(graph):
        raise Refused("spec.services must have at least one service")
    _check_annotations(graph)
    _check_claims(graph)
    _check_restart_order(graph)
    _check_topology(graph)


def check_executor_backend(where: str, annotations: dict[str, str]) -> None:
    """vLLM's executor is mp or ray, in any case."""
    value = annotations.get(EXECUTOR_BACKEND)
    if value is not None and value.lower() not in {"mp", "ray"}:
        raise Refused(f'{where}[{EXECUTOR_BACKEND}] has invalid value "{value}": must be "mp" or "ray"')


def _check_annotations(graph: Manifest) -> None:
    annotations = annotations_of(graph)
    origin = annotations.get(ORIGIN_VERSION)
    if origin is not None and not _SEMANTIC_VERSION.match(origin):
        raise Refused(
            f'annotations[{ORIGIN_VERSION}] has invalid value "{origin}": must be a semantic version'
        )
    check_executor_backend("annotations", annotations)
    mode = annotations.get(DISCOVERY_MODE)
    if mode is not None and mode not in {"pod", "container"}:
        raise Refused(
            f'annotations[{DISCOVERY_MODE}] has invalid value "{mode}": must be "pod" or "container"'
        )


def _check_claims(graph: Manifest) -> None:
    for index, claim in enumerate(graph["spec"].get("pvcs") or []):
        where = f"spec.pvcs[{index}]"
        if not claim.get("name"):
            raise Refused(f"{where}.name is required")
        if not claim.get("create"):
            continue
        for field in ("storageClass", "volumeAccessMode"):
            if not claim.get(field):
                raise Refused(f"{where}.{field} is required when create is true")
        if not is_positive_quantity(claim.get("size", "")):
            raise Refused(f"{where}.size is required when create is true")


def _check_restart_order(graph: Manifest) -> None:
    strategy = (graph["spec"].get("restart") or {}).get("strategy") or {}
    order: list[str] = strategy.get("order") or []
    where = "spec.restart.strategy.order"
    if not order:
        return
    if strategy.get("type") == "Parallel":
        raise Refused(f"{where} cannot be specified when strategy is parallel")
    if len(set(order)) != len(order):
        raise Refused(f"{where} must be unique")
    services = services_of(graph)
    unknown = [name for name in order if name not in services]
    if unknown:
        raise Refused(f"{where} contains unknown service: {unknown[0]}")
    if len(order) != len(services):
        raise Refused(f"{where} must have the same number of unique services as the deployment")


def _check_topology(graph: Manifest) -> None:
    constrained = {name for name, service in services_of(graph).items() if service.get("topologyConstraint")}
    whole = graph["spec"].get("topologyConstraint")
    if whole is None:
        if constrained:
            raise Refused("spec.topologyConstraint is required when any service has a topologyConstraint")
        return
    missing = sorted(set(services_of(graph)) - constrained)
    if not whole.get("packDomain") and missing:
        raise Refused(
            f"spec.services[{missing[0]}].topologyConstraint is required"
            " when spec.topologyConstraint.packDomain is not set"
        )
