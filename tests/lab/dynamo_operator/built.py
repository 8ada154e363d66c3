"""What the stand-in makes of a graph in either version, from its conversion on."""

import copy
from typing import Any

from lab.dynamo_operator.access import shared_objects
from lab.dynamo_operator.components import FINALIZER
from lab.dynamo_operator.conversion import V1ALPHA1, V1BETA1, converted
from lab.dynamo_operator.generations import component_deployments
from lab.dynamo_operator.installation import OperatorConfiguration
from lab.dynamo_operator.workloads import deployment, service

HASH = "0123abcd"
CONFIGURATION = OperatorConfiguration(
    version="1.2.1",
    nats_address="nats://dynamo-platform-nats.dynamo-system.svc.cluster.local:4222",
    planner_role="dynamo-platform-dynamo-operator-planner",
)

Manifest = dict[str, Any]


def read(manifest: Manifest) -> Manifest:
    """The object as the operator reads it after it was stored."""
    return converted(converted(copy.deepcopy(manifest), V1ALPHA1), V1BETA1)


def objects(graph: Manifest, worker_hash: str = HASH) -> dict[tuple[str, str], Manifest]:
    """Everything that the graph owns, and what it needs once, by kind and name."""
    graph = read(graph)
    made = shared_objects(graph, CONFIGURATION)
    for each in component_deployments(graph, worker_hash, {}):
        each["metadata"]["finalizers"] = [FINALIZER]
        owner = read(each)
        found = service(owner, CONFIGURATION)
        made += [owner, deployment(owner, CONFIGURATION), *([found] if found else [])]
    return {(each["kind"], each["metadata"]["name"]): each for each in made}
