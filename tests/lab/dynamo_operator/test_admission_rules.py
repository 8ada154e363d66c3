"""A graph that passes and one that is refused for every rule of the 1.2 line on create and update."""

from __future__ import annotations

import pytest

from tests.lab.dynamo_operator.reviews import (
    CLAIM,
    GMS,
    SERVICE,
    SIDECAR,
    Change,
    annotated,
    contained,
    decode,
    refusal,
    restart,
    sharing,
    spec,
    topology,
    without_services,
)
from tests.lab.fixtures.graphs import toy_graph

# rule, what passes, what is refused, and how the refusal begins
RULES: list[tuple[str, Change, Change, str]] = [
    ("services", toy_graph(), without_services(), "spec.services must have at least one service"),
    (
        "origin version",
        annotated(dynamo_operator_origin_version="1.2.1"),
        annotated(dynamo_operator_origin_version="latest"),
        "annotations[nvidia.com/dynamo-operator-origin-version]",
    ),
    (
        "executor backend",
        annotated(vllm_distributed_executor_backend="RAY"),
        annotated(vllm_distributed_executor_backend="uni"),
        'annotations[nvidia.com/vllm-distributed-executor-backend] has invalid value "uni"',
    ),
    (
        "executor backend of a service",
        decode(annotations={"nvidia.com/vllm-distributed-executor-backend": "mp"}),
        decode(annotations={"nvidia.com/vllm-distributed-executor-backend": "uni"}),
        f"{SERVICE}.annotations[nvidia.com/vllm-distributed-executor-backend]",
    ),
    (
        "discovery mode",
        annotated(dynamo_kube_discovery_mode="pod"),
        annotated(dynamo_kube_discovery_mode="node"),
        "annotations[nvidia.com/dynamo-kube-discovery-mode]",
    ),
    (
        "claim name",
        spec(pvcs=[{"name": "cache"}]),
        spec(pvcs=[{"name": ""}]),
        "spec.pvcs[0].name is required",
    ),
    (
        "claim class",
        spec(pvcs=[CLAIM]),
        spec(pvcs=[CLAIM | {"storageClass": ""}]),
        "spec.pvcs[0].storageClass is required when create is true",
    ),
    (
        "claim size",
        spec(pvcs=[CLAIM]),
        spec(pvcs=[CLAIM | {"size": "0"}]),
        "spec.pvcs[0].size is required when create is true",
    ),
    (
        "claim access mode",
        spec(pvcs=[CLAIM]),
        spec(pvcs=[CLAIM | {"volumeAccessMode": ""}]),
        "spec.pvcs[0].volumeAccessMode is required when create is true",
    ),
    (
        "restart order with Parallel",
        restart(["Decode", "Frontend", "Prefill"]),
        restart(["Decode", "Frontend", "Prefill"], "Parallel"),
        "spec.restart.strategy.order cannot be specified when strategy is parallel",
    ),
    (
        "restart order twice",
        restart(["Decode", "Frontend", "Prefill"]),
        restart(["Decode", "Decode", "Prefill"]),
        "spec.restart.strategy.order must be unique",
    ),
    (
        "restart order unknown",
        restart([]),
        restart(["Decode", "Frontend", "Planner"]),
        "spec.restart.strategy.order contains unknown service: Planner",
    ),
    (
        "restart order incomplete",
        restart([]),
        restart(["Decode"]),
        "spec.restart.strategy.order must have the same number",
    ),
    (
        "topology of a service alone",
        topology({"topologyProfile": "racks", "packDomain": "zone"}, "Decode"),
        topology(None, "Decode"),
        "spec.topologyConstraint is required when any service has a topologyConstraint",
    ),
    (
        "topology without domain",
        topology({"topologyProfile": "racks"}, "Decode", "Frontend", "Prefill"),
        topology({"topologyProfile": "racks"}, "Decode", "Prefill"),
        "spec.services[Frontend].topologyConstraint is required",
    ),
    ("replicas", decode(replicas=0), decode(replicas=-1), f"{SERVICE}.replicas must be non-negative"),
    (
        "ingress",
        decode(ingress={"enabled": True, "host": "llm.example"}),
        decode(ingress={"enabled": True}),
        f"{SERVICE}.ingress.host is required when ingress is enabled",
    ),
    (
        "mount point",
        decode(volumeMounts=[{"name": "cache", "useAsCompilationCache": True}]),
        decode(volumeMounts=[{"name": "cache"}]),
        f"{SERVICE}.volumeMounts[0].mountPoint is required when useAsCompilationCache is false",
    ),
    (
        "shared memory",
        decode(sharedMemory={"disabled": True}),
        decode(sharedMemory={"size": "0"}),
        f"{SERVICE}.sharedMemory.size is required when disabled is false",
    ),
    (
        "sidecar name",
        decode(frontendSidecar=SIDECAR),
        decode(frontendSidecar=SIDECAR, extraPodSpec={"containers": [{"name": "sidecar-frontend"}]}),
        f"{SERVICE}: cannot inject frontend sidecar",
    ),
    (
        "memory sharing off a worker",
        sharing(GMS),
        sharing(GMS, componentType="planner"),
        f"{SERVICE}.gpuMemoryService: GPU memory service is only supported for worker components",
    ),
    (
        "memory sharing without GPU",
        sharing(GMS),
        sharing(GMS, resources={"limits": {"cpu": "1"}}),
        f"{SERVICE}.gpuMemoryService: GPU memory service requires resources.limits.gpu >= 1",
    ),
    (
        "failover alone",
        contained(sharing(GMS, failover={"enabled": True})),
        contained(sharing(None, failover={"enabled": True})),
        f"{SERVICE}.failover: failover requires gpuMemoryService.enabled to be true",
    ),
    (
        "failover mode",
        contained(sharing(GMS, failover={"enabled": True, "mode": "intraPod"})),
        contained(sharing(GMS, failover={"enabled": True, "mode": "interPod"})),
        f'{SERVICE}.failover: failover.mode "interPod" must match',
    ),
    (
        "failover in one pod needs container discovery",
        contained(sharing(GMS, failover={"enabled": True})),
        sharing(GMS, failover={"enabled": True}),
        f"{SERVICE}.failover: intraPod failover requires annotation",
    ),
    (
        "shadows in one pod",
        contained(sharing(GMS, failover={"enabled": True, "numShadows": 1})),
        contained(sharing(GMS, failover={"enabled": True, "numShadows": 2})),
        f"{SERVICE}.failover.numShadows must be 0 or 1",
    ),
    (
        "checkpoint of shared memory",
        sharing(None, checkpoint={"enabled": True}),
        sharing(GMS, checkpoint={"enabled": True}),
        f"{SERVICE}.checkpoint: cannot be combined with gpuMemoryService",
    ),
]


@pytest.mark.parametrize(
    ("passing", "_refused", "_message"), [each[1:] for each in RULES], ids=[each[0] for each in RULES]
)
def test_a_graph_that_keeps_the_rule_is_admitted(passing: Change, _refused: Change, _message: str) -> None:
    assert refusal(passing) is None


@pytest.mark.parametrize(
    ("_passing", "refused", "message"), [each[1:] for each in RULES], ids=[each[0] for each in RULES]
)
def test_a_graph_that_breaks_the_rule_is_refused_in_a_plain_sentence(
    _passing: Change, refused: Change, message: str
) -> None:
    assert (refusal(refused) or "admitted").startswith(message)
