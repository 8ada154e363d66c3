"""What differs between the recorded values and the program's, input by input."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from lab.aws_provider.flatten import same_json
from lab.aws_provider.resource_type import NOTHING, ResourceType
from lab.provider_service.difference import Change, Difference, FieldChange
from lab.provider_service.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

_EMPTY = (False, "", 0, [], {})


def compare(
    kind: ResourceType,
    state: dict[str, Any],
    old_inputs: dict[str, Any],
    new: dict[str, Any],
    ignored: list[str],
) -> Difference:
    """The changed inputs.

    `state` holds what AWS had at the last operation or refresh, so drift that a refresh has seen counts
    where the program has not changed. What the program never said is AWS's to decide, unless it has a
    default.
    """
    found: dict[str, FieldChange] = {}
    for key, entry in kind.inputs.items():
        old, given = state.get(key), new.get(key)
        if given is None and key not in old_inputs:
            given = old if entry.default is NOTHING or old is None else entry.default
        for path, change in _changes(key, old, given, old_inputs.get(key)):
            if not any(path == item or path.startswith((f"{item}.", f"{item}[")) for item in ignored):
                below = path.split(".")[1:2]
                found[path] = FieldChange(change, entry.replaces or bool(entry.replaced_keys & set(below)))
    return Difference(found)


def changed_inputs(difference: Difference) -> set[str]:
    """The top-level inputs of the changed paths."""
    return {path.partition(".")[0].partition("[")[0] for path in difference.fields}


def with_ignored(new: dict[str, Any], state: dict[str, Any], ignored: list[str]) -> dict[str, Any]:
    """The program's values, with what is recorded at the ignored paths: an update must not change those."""
    result = copy.deepcopy(new)
    for path in ignored:
        *parents, last = path.split(".")
        target, source = result, state
        for part in parents:
            target, source = target.get(part, {}), source.get(part, {})
        if source.get(last) is not None:
            target[last] = source[last]
    return result


def _changes(path: str, old: Any, new: Any, old_input: Any) -> Iterator[tuple[str, Change]]:
    if isinstance(new, Unknown):
        yield path, Change.ADD if old is None else Change.UPDATE
    elif new is None or old is None:
        if (old if new is None else new) not in (None, *_EMPTY):
            yield path, Change.DELETE if new is None else Change.ADD
    elif isinstance(old, dict) and isinstance(new, dict):
        # What AWS adds to an object of the program is no change.
        said = old_input if isinstance(old_input, dict) else {}
        for key in sorted({*new, *(set(old) & set(said))}):
            yield from _changes(f"{path}.{key}", old.get(key), new.get(key), said.get(key))
    elif not _equal(old, new):
        yield path, Change.UPDATE


def _equal(old: Any, new: Any) -> bool:
    if isinstance(old, list) and isinstance(new, list):
        # Nearly all of Terraform's lists here are sets.
        return sorted(map(_text, old)) == sorted(map(_text, new))
    return _text(old) == _text(new) or same_json(old, new)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return str(sorted((key, _text(item)) for key, item in value.items() if item is not None))
    return str([_text(item) for item in value]) if isinstance(value, list) else str(value)
