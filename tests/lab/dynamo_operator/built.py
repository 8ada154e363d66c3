"""What the stand-in makes of a graph in either version, from its conversion on."""

from __future__ import annotations

import copy
from typing import Any

from lab.dynamo_operator.access import discovery_objects, planner_objects
from lab.dynamo_operator.configuration import OperatorConfiguration
from lab.dynamo_operator.conversion import V1ALPHA1, V1BETA1, converted
from lab.dynamo_operator.generations import component_deployments
from lab.dynamo_operator.workloads import deployment, service
from tests.lab.fixtures.graphs import toy_graph

HASH = "0123abcd"
CONFIGURATION = OperatorConfiguration(version="1.2.1", nats_address="nats://nats:4222")

Manifest = dict[str, Any]


def read(manifest: Manifest) -> Manifest:
    """The graph as the operator reads it after it was stored."""
    return converted(converted(copy.deepcopy(manifest), V1ALPHA1), V1BETA1)


def owners(graph: Manifest) -> dict[str, Manifest]:
    """Component deployments by component."""
    return {each["spec"]["name"]: read(each) for each in component_deployments(read(graph), HASH, {})}


def objects(
    graph: Manifest, configuration: OperatorConfiguration = CONFIGURATION
) -> dict[tuple[str, str], Manifest]:
    """Deployments, Services and what a graph has once, by kind and name."""
    graph = read(graph)
    made = [*discovery_objects(graph, configuration), *planner_objects(graph, configuration)]
    for owner in owners(graph).values():
        made.append(deployment(owner, configuration))
        found = service(owner, configuration)
        made += [found] if found else []
    return {(each["kind"], each["metadata"]["name"]): each for each in made}


def pod(
    component_service: Manifest,
    configuration: OperatorConfiguration = CONFIGURATION,
    **graph_fields: Any,
) -> Manifest:
    """The pod template's spec of a v1alpha1 service named Decode."""
    graph = toy_graph(Decode=component_service)
    graph["spec"] |= graph_fields
    owner = owners(graph)["Decode"]
    spec: Manifest = deployment(owner, configuration)["spec"]["template"]["spec"]
    return spec
