"""Reads each thing of a graph once, however many rules look at it."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import wraps
from typing import TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

from resource_graph import ResourceGraph
from rules.reading.shapes import Undecided, attempted

T = TypeVar("T")
Each = TypeVarTuple("Each")
"""What the function is asked about beside the graph: nothing, or a worker, a template or a name."""


def memoized(read: Callable[[ResourceGraph, *Each], T]) -> Callable[[ResourceGraph, *Each], T]:
    """Remember what the function read or why it failed, as long as the graph lives. A graph never changes."""
    remembered: WeakKeyDictionary[ResourceGraph, dict[Hashable, T | Undecided]] = WeakKeyDictionary()

    @wraps(read)
    def reading(graph: ResourceGraph, *each: *Each) -> T:
        of_graph = remembered.setdefault(graph, {})
        if each not in of_graph:
            of_graph[each] = attempted(read, graph, *each)
        found = of_graph[each]
        if isinstance(found, Undecided):
            raise found.with_traceback(None)
        return found

    return reading


def memoized_all(read: Callable[[ResourceGraph], Iterator[T]]) -> Callable[[ResourceGraph], Sequence[T]]:
    """Remember all that the function yields, as long as the graph lives."""

    @memoized
    @wraps(read)
    def reading(graph: ResourceGraph) -> Sequence[T]:
        return tuple(read(graph))

    return reading
