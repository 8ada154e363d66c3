"""A live object cut down to the fields that the program manages."""

from __future__ import annotations

from typing import Any


def pruned(live: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """The live values of the keys that the inputs have; lists are matched by index.

    What others added stays unseen: a foreign annotation, a defaulted field, a list entry beyond the
    program's last one.
    """
    result: dict[str, Any] = {}
    for key, value in live.items():
        if key not in inputs:
            continue
        wanted = inputs[key]
        if isinstance(value, dict) and isinstance(wanted, dict):
            inner = pruned(value, wanted)
            # A map whose managed entries are all gone is gone; an empty one that was asked for is there.
            if inner or not wanted:
                result[key] = inner
        elif isinstance(value, list) and isinstance(wanted, list):
            result[key] = _pruned_list(value, wanted)
        else:
            result[key] = value
    return result


def _pruned_list(live: list[Any], inputs: list[Any]) -> list[Any]:
    result: list[Any] = []
    for value, wanted in zip(live, inputs, strict=False):
        if isinstance(value, dict) and isinstance(wanted, dict):
            result.append(pruned(value, wanted))
        elif isinstance(value, list) and isinstance(wanted, list):
            result.append(_pruned_list(value, wanted))
        else:
            result.append(value)
    return result
