"""The wait for a pool's nodes: all there, Ready, and with the GPUs that their type has."""

from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment

from components import removal
from components.options import Resources, child

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


@dataclass(frozen=True, slots=True)
class GpuNodesReadyArgs:
    """Inputs of `GpuNodesReady`."""

    pool: str
    namespace: str
    node_group: str
    nodes: int
    gpus: int
    """Each node has so many."""
    bought: str
    """The purchase that the nodes were launched from; another one is waited for again."""
    image: str
    timeout_seconds: int


class GpuNodesReady(pulumi.ComponentResource):
    """One idle pod on each node of a pool, which only a Ready node with all of its GPUs gets.

    EKS does not check that the nodes of a Capacity Block join, and a graph would wait for them for as long as
    for its model, an hour or more. The pods stay: completed ones would let two of them be on one node, one
    after the other. They take no GPU, and a node that is lost later holds up no `up` that changes nothing
    here, unless a refresh has written into the state that the Deployment is not ready.
    """

    deployment: Deployment

    def __init__(
        self, name: str, args: GpuNodesReadyArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        inputs = {"nodeGroup": args.node_group, "nodes": args.nodes, "gpus": args.gpus}
        super().__init__("dynamo-stack:components:GpuNodesReady", name, inputs, opts)
        self.deployment = Deployment(
            name,
            metadata={"name": _object_name(args), "namespace": args.namespace},
            spec=_spec(args),
            opts=child(self, depends_on, timeout=args.timeout_seconds, delete=removal.WITH_PODS),
        )
        self.register_outputs({"nodeGroup": args.node_group})


def _object_name(args: GpuNodesReadyArgs) -> str:
    return f"{NODES_OF_POOL}{args.pool}"


def _spec(args: GpuNodesReadyArgs) -> Any:
    labels = {_NAME_LABEL: _object_name(args)}
    alone = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    return {
        "replicas": args.nodes,
        # Kubernetes' own limit would be ten minutes.
        "progressDeadlineSeconds": args.timeout_seconds,
        # A pod of the next generation finds no node beside those of this one.
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels, "annotations": {BOUGHT: args.bought}},
            "spec": {
                "nodeSelector": {NODE_GROUP_LABEL: args.node_group, GPU_COUNT_LABEL: str(args.gpus)},
                "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
                "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [alone]}},
                "automountServiceAccountToken": False,
                "terminationGracePeriodSeconds": 1,
                "securityContext": {
                    "runAsNonRoot": True,
                    "runAsUser": _USER,
                    "runAsGroup": _USER,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "containers": [_container(args.image)],
            },
        },
    }


def _container(image: str) -> dict[str, Any]:
    return {
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
