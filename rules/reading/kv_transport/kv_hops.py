"""Where KV cache goes from pod to pod, and what is there to carry it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hardware import KvTransportName
from resource_graph import Resource, ResourceGraph
from rules.reading.kv_transport.disaggregation import Disaggregated, read_disaggregated
from rules.reading.kv_transport.kv_ways import Ways, read_ways
from rules.reading.once import once_per_graph
from rules.reading.pods.pods import Unreadable
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, mapping_at, text_at

_INPUT = "kvTransport"


@dataclass(frozen=True, slots=True)
class KvHop:
    """Prefill and decode workers in pods of their own, between which KV cache travels."""

    group: Disaggregated
    prefill: tuple[Ways, ...]
    decode: tuple[Ways, ...]

    @property
    def ways(self) -> tuple[Ways, ...]:
        """Of all workers, prefill first."""
        return (*self.prefill, *self.decode)

    @property
    def common(self) -> frozenset[KvTransportName]:
        """The transports that every one of the workers has."""
        first, *others = self.ways
        return frozenset(name for name in first.open if all(name in ways.open for ways in others))

    def only(self, transport: KvTransportName) -> bool:
        """Whether it is the one transport that all of them have."""
        return transport in self.common and len(self.common) == 1

    def unconnected(self) -> tuple[Ways, Ways] | None:
        """A prefill and a decode worker that have no transport in common; None where each reaches each."""
        # There are few kinds of workers, however many workers there are.
        senders = {frozenset(ways.open): ways for ways in self.prefill}
        receivers = {frozenset(ways.open): ways for ways in self.decode}
        for sending, sender in senders.items():
            for receiving, receiver in receivers.items():
                if not sending & receiving:
                    return sender, receiver
        return None


@dataclass(frozen=True, slots=True)
class ChosenTransport:
    """What a component says of the way that its graph's KV cache takes."""

    name: str
    typed: bool
    """By a person."""


def component_that_chose(graph: ResourceGraph, resource: Resource) -> Resource | None:
    """The component that says by which way the KV cache travels; a bare manifest has none."""
    return next((above for above in graph.ancestors(resource) if _INPUT in above.inputs), None)


def chosen_transport(graph: ResourceGraph, resource: Resource) -> ChosenTransport | None:
    """What the component chose.

    Raises:
        Undecided: it is unknown or oddly shaped.
    """
    component = component_that_chose(graph, resource)
    if component is None:
        return None
    transport = mapping_at(component.inputs, _INPUT)
    name = text_at(transport, "name")
    return None if name is None else ChosenTransport(name, transport.get("typed") is True)


@once_per_graph
def read_hops(graph: ResourceGraph) -> Sequence[KvHop | Unreadable]:
    """All of them, in the order of their groups."""
    return tuple(_hops(graph))


def _hops(graph: ResourceGraph) -> Iterator[KvHop | Unreadable]:
    for group in read_disaggregated(graph):
        try:
            if _is_one_pod(group.workers):
                continue
            yield KvHop(
                group,
                tuple(read_ways(graph, worker) for worker in group.prefill),
                tuple(read_ways(graph, worker) for worker in group.decode),
            )
        except Undecided as reason:
            yield Unreadable(group.resource, group.name, str(reason))


def _is_one_pod(workers: Sequence[Worker]) -> bool:
    template = workers[0].template
    return all(worker.template is template for worker in workers) and template.replicas == 1
