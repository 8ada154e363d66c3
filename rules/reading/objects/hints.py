"""Where a field that a schema does not know may belong."""

import difflib
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Value
from resource_graph.resource import Path
from rules.reading.objects.schemas import Schema, dotted, schema_at

_DEEPEST = 3
"""Levels down to which a field is looked for: pod template, pod, container."""
_NAMED = 3
_SURE, _LIKELY = 0.8, 0.6
"""Likeness of two names, of difflib."""


def misspelt(schema: Schema, name: str) -> str | None:
    """The field of the schema that was meant for sure; None where there is none."""
    return _nearest(schema, name, _SURE)


def hint(root: Schema, content: Mapping[str, Value], path: Path) -> str:
    """What to write instead of the unknown field at the path; empty where nobody can tell."""
    parent, name = schema_at(root, path[:-1]), str(path[-1])
    if parent is None:
        return ""
    near = _nearest(parent, name, _LIKELY)
    places = list(dict.fromkeys([*_above(root, path, name), *_below(parent, content, path, name)]))[:_NAMED]
    said = [f"the nearest field here is {near}"] if near is not None else []
    if places:
        said.append(f"{name} belongs to {' or '.join(places)}")
    return "; ".join(said)


def value_at(content: Value, path: Path) -> Value:
    """The value at the path; None where there is none."""
    for step in path:
        if isinstance(step, str) and isinstance(content, Mapping):
            content = content.get(step)
        elif isinstance(step, int) and isinstance(content, Sequence) and not isinstance(content, str):
            content = content[step]
        else:
            return None
    return content


def _nearest(schema: Schema, name: str, likeness: float) -> str | None:
    folded = {known.lower(): known for known in schema.names}
    found = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=likeness)
    return folded[found[0]] if found else None


def _above(root: Schema, path: Path, name: str) -> Iterator[str]:
    for length in range(len(path) - 2, 0, -1):
        schema = schema_at(root, path[:length])
        if schema is not None and name in schema.names:
            yield dotted((*path[:length], name))
            return


def _below(parent: Schema, content: Mapping[str, Value], path: Path, name: str) -> Sequence[str]:
    """Those whose surroundings the object has, if it has any; the ones of fewest levels first."""
    beside = value_at(content, path[:-1])
    level: list[tuple[tuple[str, ...], Schema]] = [((), parent)]
    places: list[tuple[str, ...]] = []
    for _ in range(_DEEPEST):
        level = [((*steps, key), below) for steps, schema in level for key, below in schema.objects()]
        places += [steps for steps, schema in level if name in schema.names]
    there = [steps for steps in places if _has(beside, steps)]
    return [dotted((*path[:-1], *steps, name)) for steps in there or places]


def _has(value: Value, steps: Sequence[str]) -> bool:
    for step in steps:
        value = value_at(value, (step.removesuffix("[]"),))
        if step.endswith("[]"):
            value = value_at(value, (0,)) if value else None
    return value is not None
