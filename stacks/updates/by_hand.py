"""Replicas of a running graph that somebody other than Pulumi has set, read from the live object."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from failures.field_conflict import FORCE_VARIABLE
from stacks.updates.graph import Graph, read_graph
from stacks.updates.nested import mapping_in, mappings_in
from stacks.updates.notices import Notice

# How the provider begins the names of its own field managers (pulumi-kubernetes provider/pkg/await/await.go).
_OWN_NAMES = ("pulumi-kubernetes", "pulumi-resource-kubernetes")


@dataclass(frozen=True, slots=True)
class HandSet:
    """A service whose number of replicas belongs to somebody else by now."""

    graph: str
    service: str
    found: int
    """In the cluster."""
    wanted: int
    """By the settings."""
    manager: str
    """As the API server names who wrote it, such as kubectl-patch."""
    when: str
    """When this manager last wrote to the graph, as the API server says it."""

    @property
    def words(self) -> str:
        """Return what is different, and who made it so."""
        return (
            f"{self.service} of graph {self.graph} has {self.found} replicas in the cluster, "
            f"set by {self.manager} at {self.when}; this stack says {self.wanted}"
        )


def hand_set(live: Mapping[str, Any], wanted: Graph) -> tuple[HandSet, ...]:
    """Return the services whose replicas somebody else owns, also where the number is the wanted one.

    Args:
        live: the graph as the API server has it, with metadata.managedFields, in either API version.
        wanted: the graph that the settings ask for.

    """
    running = read_graph(wanted.name, wanted.namespace, mapping_in(live, "spec"))
    return tuple(
        HandSet(wanted.name, name, service.replicas, wanted.services[name].replicas, *owner)
        for name, service in running.services.items()
        if name in wanted.services
        for owner in list(_owners(live, name))[:1]
    )


def forced_notices(others: tuple[HandSet, ...]) -> tuple[Notice, ...]:
    """Return what happens to the numbers that a person forces back."""
    return tuple(
        Notice(
            f"{each.words}\n  {FORCE_VARIABLE} is set: this puts {each.wanted} back with --refresh, or where "
            "the stack changes the graph; else nothing changes it",
            warns=True,
        )
        for each in others
        if each.found != each.wanted
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


def _owners(live: Mapping[str, Any], service: str) -> Iterator[tuple[str, str]]:
    for entry in mappings_in(live, "metadata", "managedFields"):
        manager = str(entry.get("manager"))
        spec = mapping_in(entry, "fieldsV1", "f:spec")
        # The API server keeps each entry in the version in which it was written.
        owned = {
            **mapping_in(spec, "f:components", f'k:{{"name":"{service}"}}'),
            **mapping_in(spec, "f:services", f"f:{service}"),
        }
        if "f:replicas" in owned and not manager.startswith(_OWN_NAMES):
            yield manager, str(entry.get("time"))
