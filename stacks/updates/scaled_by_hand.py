"""Replicas of a running graph that somebody other than Pulumi has set: preview and `up` end alike.

Left to the provider, the two differ (docs/adr/0009-drift-and-field-conflicts.md): a preview stops at fields
of kubectl that the update takes, or is green where the update stops at those of anybody else.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from components.cluster_answer import DEPLOYMENTS
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_OBJECTS
from components.managed_fields import is_pulumi, managed_fields
from stacks.errors import Problem
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.comparable_graph import Graph, graph_of, read_graph, read_server
from stacks.updates.deployed import Deployed
from stacks.updates.nested_values import mapping_in
from stacks.updates.replacement import replacement

_GUIDE = "docs/runbook/drift.md"


@dataclass(frozen=True, slots=True)
class HandSet:
    """A service whose number of replicas belongs to somebody else by now."""

    graph: str
    """What serves, as a person reads it."""
    service: str
    found: int
    """Replicas in the cluster."""
    wanted: int
    """Replicas in the settings."""
    manager: str
    """Field manager that wrote the number, as the API server names it, such as kubectl-patch."""
    when: str
    """When this manager last wrote to the graph, as the API server says it."""
    put_back: str
    """The command that sets the number of the settings: an equal value conflicts with nobody."""

    @property
    def words(self) -> str:
        """Return what is different, and who made it so."""
        return (
            f"{self.service} of {self.graph} has {self.found} replicas in the cluster, "
            f"set by {self.manager} at {self.when}; this stack says {self.wanted}"
        )


def with_wanted(running: Graph, others: tuple[HandSet, ...]) -> Graph:
    """Return the graph of the state with the wanted replicas where somebody else has set them.

    The state's number is what the last run wrote, or after a refresh what the cluster has: a notice from it
    would say one thing in `preview --refresh` and another in `up --refresh`, which writes the state first.
    """
    counts = {each.service: each.wanted for each in others}
    services = {
        name: replace(service, replicas=counts.get(name, service.replicas))
        for name, service in running.services.items()
    }
    return replace(running, services=services)


def set_by_others(stack: StackPlan, before: Deployed, cluster: ClusterReader) -> tuple[HandSet, ...]:
    """Return whose replicas are not Pulumi's; none where there is no graph, or the cluster cannot be read.

    A graph that is replaced is left out: nobody scales it back.
    """
    if not stack.layers.owns("serving") or waited_for(stack):
        return ()
    wanted = graph_of(stack)
    running = before.graph_before(wanted)
    if running is None or not running.has_place_of(wanted) or replacement(stack, running, wanted):
        return ()
    kind = DEPLOYMENTS if wanted.is_server else GRAPH_OBJECTS
    live = cluster.ask(kind, wanted.name, wanted.namespace).first
    return _hand_set(live, wanted, cluster) if live else ()


def scaled_problems(stack: StackPlan, others: tuple[HandSet, ...]) -> tuple[Problem, ...]:
    """Return the numbers that are not the stack's."""
    roles = {service.name: service.role for service in stack.serving.placed.services}
    return tuple(_scaled_problem(each, roles[each.service]) for each in others if each.found != each.wanted)


def _owners(live: Mapping[str, Any], wanted: Graph, service: str) -> Iterator[tuple[str, str]]:
    for entry in managed_fields(live):
        manager = str(entry.get("manager"))
        spec = mapping_in(entry, "fieldsV1", "f:spec")
        # The API server keeps each entry in the version in which it was written.
        of_graph = {
            **mapping_in(spec, "f:components", f'k:{{"name":"{service}"}}'),
            **mapping_in(spec, "f:services", f"f:{service}"),
        }
        owned = spec if wanted.is_server else of_graph
        if "f:replicas" in owned and not is_pulumi(manager):
            yield manager, str(entry.get("time"))


def _scaled_problem(scaled: HandSet, role: str) -> Problem:
    # The settings have no 0.
    keep = f"serving.replicas.{role}: {scaled.found} keeps what runs; " if scaled.found else ""
    return Problem(
        f"serving.replicas.{role}",
        None,
        f"{scaled.words}. It may be meant, so preview and `up` end here, and nothing was created or changed",
        suggestion=f"{keep}`{scaled.put_back}` puts {scaled.wanted} back ({_GUIDE})",
    )


def _hand_set(live: Mapping[str, Any], wanted: Graph, cluster: ClusterReader) -> tuple[HandSet, ...]:
    # Also where the number is the wanted one.
    spec = mapping_in(live, "spec")
    read = read_server if wanted.is_server else read_graph
    running = read(wanted.name, wanted.namespace, spec)
    return tuple(
        HandSet(
            wanted.title,
            name,
            service.replicas,
            wanted.services[name].replicas,
            *owner,
            _put_back(spec, wanted, name, cluster),
        )
        for name, service in running.services.items()
        if name in wanted.services
        for owner in list(_owners(live, wanted, name))[:1]
    )


def _put_back(spec: Mapping[str, Any], wanted: Graph, service: str, cluster: ClusterReader) -> str:
    names = [component.get("name") for component in spec.get("components") or ()]
    place = f"components/{names.index(service)}" if service in names else f"services/{service}"
    path = "/spec/replicas" if wanted.is_server else f"/spec/{place}/replicas"
    change = [{"op": "replace", "path": path, "value": wanted.services[service].replicas}]
    kind = "deployment" if wanted.is_server else "dynamographdeployment"
    where = (f"{kind}/{wanted.name}", "--namespace", wanted.namespace)
    return cluster.command("patch", *where, "--type=json", f"--patch={json.dumps(change)}")
