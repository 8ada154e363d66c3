"""The wait for a pool's nodes: all there, Ready, and with the GPUs that their type has."""

from typing import Any

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment

from components.options import WITH_PODS, Resources, child
from hardware import GPU_RESOURCE

NODE_GROUP_LABEL = "eks.amazonaws.com/nodegroup"
GPU_COUNT_LABEL = "nvidia.com/gpu.count"
"""Written by GPU feature discovery once the driver has shown it the GPUs."""

NODES_OF_POOL = "gpu-nodes-ready-"
"""Begins the name of each such Deployment, which ends in its pool's."""
BOUGHT = "dynamo-stack/bought"
"""Annotation of the pods: of what the nodes are launched, an id where there is one."""

_NAME_LABEL = "app.kubernetes.io/name"
_USER = 65535
"""Under which the image runs (kubernetes/kubernetes build/pause/Dockerfile)."""


class GpuNodesReady(pulumi.ComponentResource):
    """One idle pod on each node of a pool, which only a Ready node with all of its GPUs gets.

    EKS does not check that the nodes of a Capacity Block join, and a graph would wait for them for as long as
    for its model, an hour or more. The pods stay: completed ones would let two of them be on one node, one
    after the other. They take no GPU, and a node that is lost later holds up no `up` that changes nothing
    here, unless a refresh has written into the state that the Deployment is not ready.

    Args:
        gpus: of each node.
        bought: the purchase that the nodes were launched from; another one is waited for again.

    """

    deployment: Deployment

    def __init__(
        self,
        name: str,
        *,
        pool: str,
        namespace: str,
        node_group: str,
        nodes: int,
        gpus: int,
        bought: str,
        image: str,
        timeout_seconds: int,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"nodeGroup": node_group, "nodes": nodes, "gpus": gpus}
        super().__init__("dynamo-stack:components:GpuNodesReady", name, inputs, opts)
        self.deployment = Deployment(
            name,
            metadata={"name": f"{NODES_OF_POOL}{pool}", "namespace": namespace},
            spec={
                "replicas": nodes,
                # Kubernetes' own limit would be ten minutes.
                "progress_deadline_seconds": timeout_seconds,
                # A pod of the next generation finds no node beside those of this one.
                "strategy": {"type": "Recreate"},
                "selector": {"match_labels": _labels(pool)},
                "template": {
                    "metadata": {"labels": _labels(pool), "annotations": {BOUGHT: bought}},
                    "spec": _pod_spec(pool, image)
                    | {"nodeSelector": {NODE_GROUP_LABEL: node_group, GPU_COUNT_LABEL: str(gpus)}},
                },
            },
            opts=child(self, depends_on, timeout=timeout_seconds, delete=WITH_PODS),
        )
        self.register_outputs({"nodeGroup": node_group})


def _labels(pool: str) -> dict[str, str]:
    return {_NAME_LABEL: f"{NODES_OF_POOL}{pool}"}


def _pod_spec(pool: str, image: str) -> Any:
    alone = {"labelSelector": {"matchLabels": _labels(pool)}, "topologyKey": "kubernetes.io/hostname"}
    return {
        "tolerations": [{"key": GPU_RESOURCE, "operator": "Exists", "effect": "NoSchedule"}],
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [alone]}},
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 1,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": "idle",
                "image": image,
                "resources": {
                    "requests": {"cpu": "10m", "memory": "16Mi"},
                    "limits": {"cpu": "10m", "memory": "16Mi"},
                },
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
            }
        ],
    }
