"""Reads each thing of a graph once, however many rules look at it."""

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from resource_graph import ResourceGraph

T = TypeVar("T")


def once_per_graph(read: Callable[[ResourceGraph], T]) -> Callable[[ResourceGraph], T]:
    """Remember what the function read, as long as the graph lives. A graph never changes."""
    remembered: WeakKeyDictionary[ResourceGraph, T] = WeakKeyDictionary()

    def reading(graph: ResourceGraph) -> T:
        # Asked so often that to look it up twice takes a hundredth of all rules' time.
        try:
            return remembered[graph]
        except KeyError:
            found = remembered[graph] = read(graph)
            return found

    reading.__doc__ = read.__doc__
    return reading
