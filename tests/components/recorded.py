"""What the real program asks the engine for, for any settings."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pulumi
import pytest

from resource_graph import Resource, ResourceGraph
from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.recordings import recorded_stack

GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
ADDON = "aws:eks/addon:Addon"
SUBNET = "aws:ec2/subnet:Subnet"
RELEASE = "kubernetes:helm.sh/v3:Release"
EKS: Mapping[str, Callable[[], dict[str, Any]]] = {"b200": eks_b200_settings, "gb200": eks_gb200_settings}
EFS_CACHE = {"size": "200Gi", "storage": {"kind": "efs"}}
EVERY_EKS = pytest.mark.parametrize("name", EKS)


def recorded(settings: dict[str, Any], token: str | None = None) -> ResourceGraph:
    """The resources of a stack with these settings; the token is a secret."""
    return _recorded(json.dumps(settings, sort_keys=True), token)


def recorded_eks(name: str = "b200", pool: Mapping[str, Any] | None = None, **settings: Any) -> ResourceGraph:
    """The resources of a stack that makes its cluster, with other settings and keys of its first pool."""
    changed = EKS[name]()
    changed["nodePools"][0] |= pool or {}
    changed["cluster"] |= settings.pop("cluster", {})
    return recorded_stack(resolved(changed | settings))


def in_phase(phase: str, name: str = "b200", **settings: Any) -> ResourceGraph:
    """The same with its Capacity Block in this phase."""
    purchase = EKS[name]()["nodePools"][0]["purchase"] | {"phase": phase}
    return recorded_eks(name, {"purchase": purchase}, **settings)


def only(graph: ResourceGraph, kind: str, name: str | None = None) -> Any:
    """The one resource of a type or kind, among those of a logical name if one is given."""
    found = graph.of_type(kind) if ":" in kind else graph.kubernetes_objects(kind)
    [one] = [each for each in found if name in {None, each.name}]
    return one


def objects(graph: ResourceGraph) -> dict[str, Resource]:
    """Kubernetes objects and Helm releases by kind and name."""
    found: dict[str, Resource] = {}
    for resource in graph:
        inputs: Any = resource.inputs
        if resource.type == RELEASE:
            found[f"Release {inputs['name']}"] = resource
        elif resource.kind:
            found[f"{resource.kind} {inputs['metadata']['name']}"] = resource
    return found


def spec_of(graph: ResourceGraph, name: str) -> Any:
    """The `spec` of the object with that kind and name."""
    return objects(graph)[name].inputs["spec"]


def named(graph: ResourceGraph, kind: str) -> list[str]:
    """The names of all objects of a kind, sorted."""
    return sorted(name.partition(" ")[2] for name in objects(graph) if name.partition(" ")[0] == kind)


@cache
def _recorded(settings: str, token: str | None) -> ResourceGraph:
    stack = resolved(json.loads(settings))

    def program() -> None:
        deploy(stack, pulumi.Output.secret(token) if token else None)

    return record(program, project="dynamo-stack", stack="recorded")
