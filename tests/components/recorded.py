"""What the real program asks the engine for, for any settings."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pulumi

from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from tests.support.dev_settings import resolved

if TYPE_CHECKING:
    from resource_graph import Resource, ResourceGraph


def recorded(settings: dict[str, Any], token: str | None = None) -> ResourceGraph:
    """The resources of a stack with these settings; the token is a secret."""
    return _recorded(json.dumps(settings, sort_keys=True), token)


def objects(graph: ResourceGraph) -> dict[str, Resource]:
    """Kubernetes objects and Helm releases by kind and name."""
    found: dict[str, Resource] = {}
    for resource in graph:
        inputs: Any = resource.inputs
        if resource.type == "kubernetes:helm.sh/v3:Release":
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
