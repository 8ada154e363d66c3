"""Rules about one service, checked on create and update, and what is only warned about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.admission.gpu_sharing_rules import (
    check_checkpoint,
    check_failover,
    check_gpu_memory_service,
)
from lab.dynamo_operator.admission.graph_rules import check_executor_backend
from lab.dynamo_operator.admission.rule import Refused, is_positive_quantity, services_of
from lab.dynamo_operator.components import EPP, dynamo_namespace
from lab.dynamo_operator.conversion.shared_to_beta import FRONTEND_SIDECAR

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.admission.rule import Circumstances


def check_services(graph: Manifest, circumstances: Circumstances) -> None:
    """Raises Refused at the first rule that a service breaks."""
    for name, service in sorted(services_of(graph).items()):
        where = f"spec.services[{name}]"
        if service.get("replicas", 0) < 0:
            raise Refused(f"{where}.replicas must be non-negative")
        _check_ingress(where, service)
        _check_volume_mounts(where, service)
        _check_shared_memory(where, service)
        _check_frontend_sidecar(where, service)
        check_executor_backend(f"{where}.annotations", service.get("annotations") or {})
        _check_endpoint_picker(where, service, circumstances)
        check_gpu_memory_service(where, graph, service, circumstances)
        check_failover(where, graph, service)
        check_checkpoint(where, service, circumstances)


def deprecations(graph: Manifest) -> list[str]:
    """What the API server prints as warnings: fields that do nothing any more."""
    warnings: list[str] = []
    for name, service in sorted(services_of(graph).items()):
        where = f"spec.services[{name}]"
        if service.get("dynamoNamespace"):
            warnings.append(
                f"{where}.dynamoNamespace is deprecated and ignored. Value '{service['dynamoNamespace']}'"
                f" will be replaced with '{dynamo_namespace(graph, service)}'."
                " Remove this field from your configuration"
            )
        if "autoscaling" in service:
            warnings.append(
                f"{where}.autoscaling is deprecated and ignored."
                " Use DynamoGraphDeploymentScalingAdapter with HPA, KEDA or Planner instead"
            )
    return warnings


def _check_ingress(where: str, service: Manifest) -> None:
    ingress = service.get("ingress") or {}
    if ingress.get("enabled") and not ingress.get("host"):
        raise Refused(f"{where}.ingress.host is required when ingress is enabled")


def _check_volume_mounts(where: str, service: Manifest) -> None:
    for index, mount in enumerate(service.get("volumeMounts") or []):
        if not mount.get("useAsCompilationCache") and not mount.get("mountPoint"):
            raise Refused(
                f"{where}.volumeMounts[{index}].mountPoint is required when useAsCompilationCache is false"
            )


def _check_shared_memory(where: str, service: Manifest) -> None:
    memory = service.get("sharedMemory")
    if memory is None or memory.get("disabled"):
        return
    if not is_positive_quantity(memory.get("size", "")):
        raise Refused(f"{where}.sharedMemory.size is required when disabled is false")


def _check_frontend_sidecar(where: str, service: Manifest) -> None:
    if not service.get("frontendSidecar"):
        return
    containers = (service.get("extraPodSpec") or {}).get("containers") or []
    if any(container["name"] == FRONTEND_SIDECAR for container in containers):
        raise Refused(
            f"{where}: cannot inject frontend sidecar: a container named "
            f'"{FRONTEND_SIDECAR}" already exists in extraPodSpec.containers'
        )


def _check_endpoint_picker(where: str, service: Manifest, circumstances: Circumstances) -> None:
    if service.get("componentType") != EPP:
        return
    if not circumstances.has_inference_pools:
        raise Refused(
            f"{where}: cannot deploy EPP component: InferencePool API group (inference.networking.k8s.io)"
            " is not available in the cluster"
        )
    if "multinode" in service:
        raise Refused(f"{where}: EPP component cannot be multinode")
    if service.get("replicas", 1) != 1:
        raise Refused(
            f"{where}: EPP component must have exactly 1 replica (found {service['replicas']} replicas)"
        )
    _check_endpoint_picker_config(where, service.get("eppConfig"))


def _check_endpoint_picker_config(where: str, config: Manifest | None) -> None:
    if config is None:
        raise Refused(f"{where}.eppConfig is required for EPP components")
    sources = [key for key in ("configMapRef", "config") if key in config]
    if not sources:
        raise Refused(f"{where}.eppConfig: either configMapRef or config must be specified")
    if len(sources) > 1:
        raise Refused(f"{where}.eppConfig: configMapRef and config are mutually exclusive")
    if "configMapRef" in config and not config["configMapRef"].get("name"):
        raise Refused(f"{where}.eppConfig.configMapRef.name is required")
