"""Rules about the GPU memory service, failover and checkpoints of one service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.admission.graph_rules import DISCOVERY_MODE
from lab.dynamo_operator.admission.rule import Refused, annotations_of, uses_grove
from lab.dynamo_operator.components import EPP, FRONTEND, PLANNER, WORKER_TYPES

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.admission.rule import Circumstances

INTER_POD = "interPod"


def check_gpu_memory_service(
    where: str, graph: Manifest, service: Manifest, circumstances: Circumstances
) -> None:
    """Only for workers with a GPU; between pods only with Grove and vLLM."""
    sharing = service.get("gpuMemoryService") or {}
    if not sharing.get("enabled"):
        return
    where = f"{where}.gpuMemoryService"
    if service.get("componentType") not in WORKER_TYPES:
        raise Refused(
            f"{where}: GPU memory service is only supported for worker components"
            " (componentType must be worker, prefill, or decode)"
        )
    if _gpus(service) < 1:
        raise Refused(f"{where}: GPU memory service requires resources.limits.gpu >= 1")
    if sharing.get("mode") != INTER_POD:
        return
    if not uses_grove(graph, circumstances.configuration):
        raise Refused(f'{where}: mode "interPod" requires Grove')
    if graph["spec"].get("backendFramework") != "vllm":
        raise Refused(f'{where}: mode "interPod" requires backendFramework vllm')


def check_failover(where: str, graph: Manifest, service: Manifest) -> None:
    """Needs the GPU memory service in the same mode."""
    failover = service.get("failover") or {}
    if not failover.get("enabled"):
        return
    where = f"{where}.failover"
    sharing = service.get("gpuMemoryService") or {}
    if not sharing.get("enabled"):
        raise Refused(f"{where}: failover requires gpuMemoryService.enabled to be true")
    mode, other = failover.get("mode", "intraPod"), sharing.get("mode", "intraPod")
    if mode != other:
        raise Refused(f'{where}: failover.mode "{mode}" must match gpuMemoryService.mode "{other}"')
    if mode == INTER_POD:
        _check_inter_pod_failover(where, service, failover)
    else:
        _check_intra_pod_failover(where, graph, failover)


def check_checkpoint(where: str, service: Manifest, circumstances: Circumstances) -> None:
    """A checkpoint of shared GPU memory is behind a feature gate."""
    checkpoint = (service.get("checkpoint") or {}).get("enabled")
    sharing = (service.get("gpuMemoryService") or {}).get("enabled")
    if checkpoint and sharing and not circumstances.configuration.gms_snapshot:
        raise Refused(f"{where}.checkpoint: cannot be combined with gpuMemoryService")


def _check_intra_pod_failover(where: str, graph: Manifest, failover: Manifest) -> None:
    if annotations_of(graph).get(DISCOVERY_MODE) != "container":
        raise Refused(f'{where}: intraPod failover requires annotation {DISCOVERY_MODE} to be "container"')
    if failover.get("numShadows", 1) not in {0, 1}:
        raise Refused(f"{where}.numShadows must be 0 or 1 for intraPod failover")


def _check_inter_pod_failover(where: str, service: Manifest, failover: Manifest) -> None:
    if service.get("componentType") in {EPP, FRONTEND, PLANNER}:
        raise Refused(
            f"{where}: interPod failover is not supported for {service['componentType']} components"
        )
    if _gpus(service) < 1:
        raise Refused(f"{where}: interPod failover requires resources.limits.gpu >= 1")
    if failover.get("numShadows", 1) < 1:
        raise Refused(f"{where}.numShadows must be at least 1 for interPod failover")


def _gpus(service: Manifest) -> int:
    resources = service.get("resources") or {}
    for kind in ("limits", "requests"):
        count = (resources.get(kind) or {}).get("gpu")
        if count:
            return int(count) if str(count).isdigit() else 0
    return 0
