"""Reads each thing of a graph once, however many rules look at it."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar
from weakref import WeakKeyDictionary

from resource_graph import ResourceGraph
from rules.reading.shapes import Undecided, attempted

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def memoized(read: Callable[[ResourceGraph], T]) -> Callable[[ResourceGraph], T]:
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


def memoized_all(read: Callable[[ResourceGraph], Iterator[T]]) -> Callable[[ResourceGraph], Sequence[T]]:
    """Remember all that the function yields, as long as the graph lives."""

    def reading(graph: ResourceGraph) -> Sequence[T]:
        return tuple(read(graph))

    reading.__doc__ = read.__doc__
    return memoized(reading)


def memoized_for_each(read: Callable[[ResourceGraph, K], T]) -> Callable[[ResourceGraph, K], T]:
    """Remember what the function read of each worker, template or name, or why the reading failed."""
    remembered: WeakKeyDictionary[ResourceGraph, dict[K, T | Undecided]] = WeakKeyDictionary()

    def reading(graph: ResourceGraph, each: K) -> T:
        of_graph = remembered.setdefault(graph, {})
        if each not in of_graph:
            of_graph[each] = attempted(read, graph, each)
        found = of_graph[each]
        if isinstance(found, Undecided):
            raise found.with_traceback(None)
        return found

    reading.__doc__ = read.__doc__
    return reading
