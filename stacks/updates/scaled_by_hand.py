"""Replicas of what runs that somebody other than Pulumi has set: the next update sets them back."""

from collections.abc import Iterator, Mapping
from typing import Any

from components.cluster_answer import DEPLOYMENTS
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_OBJECTS
from components.object_owner import is_pulumi, managed_fields
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.comparable_graph import graph_of, read_graph, read_server
from stacks.updates.deployed import Deployed
from stacks.updates.nested_values import mapping_in
from stacks.updates.notices import Notice
from stacks.updates.replacement import replacement


def scaled_notices(stack: StackPlan, before: Deployed, cluster: ClusterReader) -> Iterator[Notice]:
    """Say which numbers are not the stack's; nothing where there is no graph, or the cluster cannot be read.

    A graph that is replaced is left out: nobody scales it back.
    """
    if not stack.layers.owns("serving") or waited_for(stack):
        return
    wanted = graph_of(stack)
    running = before.graph_before(wanted)
    if running is None or not running.has_place_of(wanted) or replacement(stack, running, wanted):
        return
    kind = DEPLOYMENTS if wanted.is_server else GRAPH_OBJECTS
    live = cluster.ask(kind, wanted.name, wanted.namespace).first
    if live is None:
        return
    read = read_server if wanted.is_server else read_graph
    found = read(wanted.name, wanted.namespace, mapping_in(live, "spec")).services
    for role in stack.serving.placed.services:
        service, owners = found.get(role.name), list(_owners(live, role.name, is_server=wanted.is_server))
        number = wanted.services[role.name].replicas
        if service is None or not owners or service.replicas == number:
            continue
        # The settings have no 0.
        keep = f"; serving.replicas.{role.role}: {service.replicas} keeps them" if service.replicas else ""
        manager, is_taken_back = owners[0]
        does = f"sets {number} back" if is_taken_back else "ends at a field conflict"
        yield Notice(
            f"{role.name} of {wanted.title} has {service.replicas} replicas in the cluster, set by "
            f"{manager}; this stack says {number}\n"
            f"  the next update of it {does}, and so does `pulumi up --refresh`{keep} "
            "(docs/runbook/drift.md)",
            warns=True,
        )


def _owners(live: Mapping[str, Any], service: str, *, is_server: bool) -> Iterator[tuple[str, bool]]:
    """Yield who owns the number, and whether an update takes it back without being told to."""
    for entry in managed_fields(live):
        manager = str(entry.get("manager"))
        spec = mapping_in(entry, "fieldsV1", "f:spec")
        # The API server keeps each entry in the version in which it was written.
        of_graph = {
            **mapping_in(spec, "f:components", f'k:{{"name":"{service}"}}'),
            **mapping_in(spec, "f:services", f"f:{service}"),
        }
        if "f:replicas" in (spec if is_server else of_graph) and not is_pulumi(manager):
            yield manager, manager.startswith("kubectl") and not entry.get("subresource")
