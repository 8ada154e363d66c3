"""Replicas of what runs that somebody other than Pulumi has set: the next update sets them back."""

from collections.abc import Iterator

from components.cluster_answer import DEPLOYMENTS
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_OBJECTS
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.beside_what_runs import replacement
from stacks.updates.comparable_graph import graph_of, read_graph, read_server
from stacks.updates.deployed import Deployed
from stacks.updates.nested_values import mapping_in
from stacks.updates.notices import Notice


def scaled_notices(stack: StackPlan, before: Deployed, cluster: ClusterReader) -> Iterator[Notice]:
    """Say which numbers are neither the state's nor the stack's; nothing where the cluster cannot be read.

    A graph that is replaced is left out: nobody scales it back.
    """
    if not stack.layers.owns("serving") or waited_for(stack):
        return
    wanted = graph_of(stack)
    running = before.graph_before(wanted)
    if running is None or not running.has_place_of(wanted) or replacement(stack, running, wanted):
        return
    kind, read = (DEPLOYMENTS, read_server) if wanted.is_server else (GRAPH_OBJECTS, read_graph)
    live = cluster.ask(kind, wanted.name, wanted.namespace).first
    if live is None:
        return
    found = read(wanted.name, wanted.namespace, mapping_in(live, "spec")).services
    for role in stack.serving.placed.services:
        service, number = found.get(role.name), wanted.services[role.name].replicas
        if service is None or service.replicas in {number, running.services[role.name].replicas}:
            continue
        # The settings have no 0.
        keep = f"; serving.replicas.{role.role}: {service.replicas} keeps them" if service.replicas else ""
        yield Notice(
            f"{role.name} of {wanted.title} has {service.replicas} replicas in the cluster, not set by this "
            f"stack, which says {number}\n"
            f"  the next update of it sets {number} back, or ends at a conflict with an autoscaler{keep} "
            "(docs/runbook/drift.md)",
            warns=True,
        )
