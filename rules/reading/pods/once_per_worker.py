"""Reads each thing of a worker once, however many rules look at it."""

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from resource_graph import ResourceGraph
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

T = TypeVar("T")


def once_per_worker(
    read: Callable[[ResourceGraph, Worker], T],
) -> Callable[[ResourceGraph, Worker], T]:
    """Remember what the function read, or why it could not, as long as the graph lives."""
    remembered: WeakKeyDictionary[ResourceGraph, dict[Worker, T | Undecided]] = WeakKeyDictionary()

    def reading(graph: ResourceGraph, worker: Worker) -> T:
        of_graph = remembered.setdefault(graph, {})
        if worker not in of_graph:
            try:
                of_graph[worker] = read(graph, worker)
            except Undecided as reason:
                of_graph[worker] = reason
        found = of_graph[worker]
        if isinstance(found, Undecided):
            raise found.with_traceback(None)
        return found

    reading.__doc__ = read.__doc__
    return reading
