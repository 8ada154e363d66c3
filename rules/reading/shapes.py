"""Reads fields, numbers and Kubernetes' amounts out of what anybody may have written, each but once."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from typing import ParamSpec, TypeVar, TypeVarTuple, cast
from weakref import WeakKeyDictionary

from engines.command_line import Undecided, shown, whole_number
from resource_graph import UNKNOWN, ResourceGraph, Value

_LONGEST_AMOUNT = 1000
"""Characters of an amount that is still computed; a million digits take minutes."""
_QUANTITY = re.compile(r"([+-]?[0-9]+(?:\.[0-9]*)?|[+-]?\.[0-9]+)(?:([eE][+-]?[0-9]{1,3})|([a-zA-Z]{0,2}))")
_SUFFIXES = {
    "": Fraction(1),
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    **{suffix: Fraction(1000**power) for power, suffix in enumerate(("k", "M", "G", "T", "P", "E"), 1)},
    **{suffix: Fraction(1024**power) for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
}
P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")
Each = TypeVarTuple("Each")
"""What the function is asked about beside the graph: nothing, or a worker, a template or a name."""


# Values are plain dicts and lists nearly always, and told as such five times faster than as an abstract type;
# every rule asks this of every object, which is why `dict` and `list` are tried first below.


def attempted(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Undecided:
    """The value that was read, or why it cannot be read."""
    try:
        return read(*args, **kwargs)
    except Undecided as reason:
        return reason


def answered(found: T | Undecided) -> T:
    """What `attempted` returned, where it was read; else its reason is raised, as if for the first time."""
    if isinstance(found, Undecided):
        raise found.with_traceback(None)
    return found


def known(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """The value that was read; None where it cannot be read."""
    found = attempted(read, *args, **kwargs)
    return None if isinstance(found, Undecided) else found


def grouped(pairs: Iterable[tuple[K, T]]) -> Mapping[K, Sequence[T]]:
    """Key -> the values paired with the key, in order."""
    groups: dict[K, list[T]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups


def field(parent: Mapping[str, Value], *path: str) -> Value:
    """The value at the path, None where a step is absent; raises Undecided where a step cannot be read."""
    current: Value = parent
    for index, key in enumerate(path):
        if current is None:
            return None
        if not isinstance(current, (dict, Mapping)):
            raise Undecided(f"{'.'.join(path[:index])} is {shown(current)}, not a mapping")
        current = current.get(key)
        if current is UNKNOWN:
            raise Undecided(f"{'.'.join(path[: index + 1])} is known only after the update")
    return current


def mapping_at(parent: Mapping[str, Value], *path: str) -> Mapping[str, Value]:
    """The mapping at the path, empty where it is absent."""
    value = field(parent, *path)
    if value is None:
        return {}
    if not isinstance(value, (dict, Mapping)):
        raise Undecided(f"{'.'.join(path)} is {shown(value)}, not a mapping")
    return value


def mappings_at(parent: Mapping[str, Value], *path: str) -> Sequence[Mapping[str, Value]]:
    """The list of mappings at the path, empty where it is absent."""
    items = _items_at(parent, *path)
    for index, item in enumerate(items):
        if item is UNKNOWN:
            raise Undecided(f"{'.'.join(path)}[{index}] is known only after the update")
        if not isinstance(item, (dict, Mapping)):
            raise Undecided(f"{'.'.join(path)}[{index}] is {shown(item)}, not a mapping")
    return cast("Sequence[Mapping[str, Value]]", items)


def texts_at(parent: Mapping[str, Value], *path: str) -> Sequence[str | None]:
    """The list of texts at the path, empty where it is absent; None stands for an unknown one."""
    texts: list[str | None] = []
    for index, item in enumerate(_items_at(parent, *path)):
        if item is not UNKNOWN and not isinstance(item, str):
            raise Undecided(f"{'.'.join(path)}[{index}] is {shown(item)}, not a text")
        texts.append(item if isinstance(item, str) else None)
    return texts


def known_texts_at(parent: Mapping[str, Value], *path: str, what: str) -> Sequence[str]:
    """The list of texts at the path, where all are known; `what` says for a message what one of them is."""
    texts = texts_at(parent, *path)
    if None in texts:
        raise Undecided(f"{what} is known only after the update")
    return [text for text in texts if text is not None]


def text_at(parent: Mapping[str, Value], *path: str) -> str | None:
    """The text at the path, None where it is absent."""
    value = field(parent, *path)
    if value is None or isinstance(value, str):
        return value
    raise Undecided(f"{'.'.join(path)} is {shown(value)}, not a text")


def whole_number_at(parent: Mapping[str, Value], *path: str) -> int | None:
    """The whole number at the path, also where it is written as a text; None where it is absent."""
    value = field(parent, *path)
    return None if value is None else whole_number(value, ".".join(path))


def quantity(value: Value, what: str) -> Fraction:
    """The amount in units: bytes, or CPUs.

    https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
    """
    text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    match = _QUANTITY.fullmatch(text[:_LONGEST_AMOUNT].strip()) if isinstance(text, str) else None
    if match is None or (match[3] or "") not in _SUFFIXES or len(str(text)) > _LONGEST_AMOUNT:
        raise Undecided(f"{what} is {value!r}, not an amount such as 16Gi")
    number = Fraction(Decimal(match[1] + (match[2] or "")))
    return number * _SUFFIXES[match[3] or ""]


def memoized(read: Callable[[ResourceGraph, *Each], T]) -> Callable[[ResourceGraph, *Each], T]:
    """Remember what the function read or why it failed, as long as the graph lives. A graph never changes."""
    remembered: WeakKeyDictionary[ResourceGraph, dict[Hashable, T | Undecided]] = WeakKeyDictionary()

    @wraps(read)
    def reading(graph: ResourceGraph, *each: *Each) -> T:
        of_graph = remembered.setdefault(graph, {})
        if each not in of_graph:
            of_graph[each] = attempted(read, graph, *each)
        return answered(of_graph[each])

    return reading


def memoized_all(read: Callable[[ResourceGraph], Iterator[T]]) -> Callable[[ResourceGraph], Sequence[T]]:
    """Remember all that the function yields, as long as the graph lives."""

    @memoized
    @wraps(read)
    def reading(graph: ResourceGraph) -> Sequence[T]:
        return tuple(read(graph))

    return reading


def indexed(
    read: Callable[[ResourceGraph], Iterable[T]], key: Callable[[T], K]
) -> Callable[[ResourceGraph], Mapping[K, Sequence[T]]]:
    """Remember all that the function reads by the key of each, as long as the graph lives."""
    return memoized(lambda graph: grouped((key(each), each) for each in read(graph)))


def _items_at(parent: Mapping[str, Value], *path: str) -> Sequence[Value]:
    value = field(parent, *path)
    if value is None:
        return ()
    if isinstance(value, (list, Sequence)) and not isinstance(value, str):
        return value
    raise Undecided(f"{'.'.join(path)} is {shown(value)}, not a list")
