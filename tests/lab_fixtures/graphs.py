"""A small graph with the names of nobody's product, for tests to change."""

from __future__ import annotations

from typing import Any

TOLERATIONS = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


def worker(role: str, gpus: str, **fields: Any) -> dict[str, Any]:
    return {
        "componentType": "worker",
        "subComponentType": role,
        "replicas": 1,
        "resources": {"limits": {"gpu": gpus}},
        "extraPodSpec": {
            "tolerations": TOLERATIONS,
            "mainContainer": {"image": "registry.example/worker:1.2.1", "args": ["serve"]},
        },
    } | fields


def toy_graph(**services: Any) -> dict[str, Any]:
    """Frontend, prefill and decode; `services` replaces or adds services."""
    frontend = {
        "componentType": "frontend",
        "replicas": 1,
        "extraPodSpec": {"mainContainer": {"image": "registry.example/frontend:1.2.1"}},
    }
    default = {"Frontend": frontend, "Prefill": worker("prefill", "1"), "Decode": worker("decode", "4")}
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "toy", "namespace": "demo", "uid": "uid-of-toy", "generation": 1},
        "spec": {"backendFramework": "trtllm", "services": default | services},
    }
