"""What differs between the recorded live state and new inputs, field by field.

Old is the live object of the last update or refresh, cut down to the old inputs' shape; so a drift
that a refresh has seen is a difference even where the program did not change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lab.kubernetes_provider.forced_replacement import Path, forces_replacement
from lab.kubernetes_provider.pruning import is_empty
from lab.kubernetes_provider.values import Unknown
from lab.provider_service.difference import Change, Difference, FieldChange

if TYPE_CHECKING:
    from collections.abc import Iterator


# No such key, as opposed to a null.
_MISSING: Final = object()
_PLAIN_KEY = re.compile(r'[^."\[\]]+$')


def difference(
    old: dict[str, Any],
    new: dict[str, Any],
    forcing: tuple[str, ...] = (),
    *,
    old_inputs: dict[str, Any] | None = None,
    ignored: list[str] | None = None,
) -> Difference:
    """Compares pruned live state with new inputs.

    `old_inputs`, given for the SDK's kinds, tell an empty value that the API server dropped (it was
    sent before and means nothing) from one that is new. `ignored` are property paths whose changes
    do not count, nor those below them.
    """
    found = {
        path_text(path): FieldChange(change, _replaces(path, change, value, forcing))
        for path, change, value in _changes((), old, new, old_inputs)
    }
    return Difference(
        {
            path: change
            for path, change in found.items()
            if not any(_contains(ignore, path) for ignore in ignored or [])
        }
    )


def path_text(path: Path) -> str:
    """`spec.containers[0].image`, `metadata.annotations["a.b/c"]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif not _PLAIN_KEY.match(part):
            escaped = part.replace('"', '\\"')
            text += f'["{escaped}"]'
        else:
            text += f".{part}" if text else part
    return text


def _contains(ignored: str, path: str) -> bool:
    return path == ignored or (path.startswith(ignored) and path[len(ignored)] in ".[")


def _replaces(path: Path, change: Change, value: Any, forcing: tuple[str, ...]) -> bool:
    # An object without metadata has lost its name, whatever the table says.
    lost_name = change is Change.DELETE and path == ("metadata",)
    return lost_name or forces_replacement(path, value, forcing)


def _changes(path: Path, old: Any, new: Any, old_input: Any) -> Iterator[tuple[Path, Change, Any]]:
    """Walks old and new side by side; yields what differs, with the value that goes or comes."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            given = old_input.get(key, _MISSING) if isinstance(old_input, dict) else None
            yield from _changes((*path, key), old.get(key, _MISSING), new.get(key, _MISSING), given)
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            given = _at(old_input, index) if isinstance(old_input, list) else None
            yield from _changes((*path, index), _at(old, index), _at(new, index), given)
    elif change := _change(old, new, old_input):
        yield path, change, old if change is Change.DELETE else new


def _change(old: Any, new: Any, old_input: Any) -> Change | None:
    if new is _MISSING:
        return None if old is _MISSING else Change.DELETE
    if old is _MISSING:
        dropped_by_server = old_input is not None and old_input is not _MISSING and is_empty(new)
        return None if dropped_by_server else Change.ADD
    if isinstance(new, Unknown) or type(old) is not type(new):
        return None if _equal_numbers(old, new) else Change.UPDATE
    return None if old == new else Change.UPDATE


def _equal_numbers(old: Any, new: Any) -> bool:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (old, new))
    return numbers and old == new


def _at(values: list[Any], index: int) -> Any:
    return values[index] if index < len(values) else _MISSING
