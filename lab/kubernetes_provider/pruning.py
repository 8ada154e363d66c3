"""A live object cut down to the fields that the program manages."""

from __future__ import annotations

from typing import Any


def pruned(live: Any, inputs: Any) -> Any:
    """The live values of the keys that the inputs have; lists are matched by index.

    What others added stays unseen: a foreign annotation, a defaulted field, a list entry beyond the
    program's last one.
    """
    if isinstance(live, list) and isinstance(inputs, list):
        return [pruned(*each) for each in zip(live, inputs, strict=False)]
    if not isinstance(live, dict) or not isinstance(inputs, dict):
        return live
    kept = {key: pruned(value, inputs[key]) for key, value in live.items() if key in inputs}
    # A map whose managed entries are all gone is gone; an empty one that was asked for is there.
    gone = {
        key for key, value in kept.items() if value == {} and isinstance(inputs[key], dict) and inputs[key]
    }
    return {key: value for key, value in kept.items() if key not in gone}


def with_dropped(live: Any, inputs: Any, recorded: Any) -> Any:
    """The pruned live value with those empty inputs put back that the API server never kept.

    `hostNetwork: false` or `annotations: {}` mean nothing and are not stored; without them the inputs
    of a refresh would differ from the program's for ever. `recorded` is the live value of the last
    update: what was there then and is gone now is a drift and stays gone.
    """
    if isinstance(live, dict) and isinstance(inputs, dict):
        before = recorded if isinstance(recorded, dict) else {}
        result = {key: with_dropped(value, inputs.get(key), before.get(key)) for key, value in live.items()}
        dropped = {key: value for key, value in inputs.items() if key not in live and key not in before}
        return result | {key: value for key, value in dropped.items() if is_empty(value)}
    if isinstance(live, list) and isinstance(inputs, list):
        before = recorded if isinstance(recorded, list) else []
        padded = [*before, *([None] * len(live))]
        return [with_dropped(*each) for each in zip(live, inputs, padded, strict=False)]
    return live


def is_empty(value: Any) -> bool:
    """Whether Go's JSON leaves such a value out where a field is `omitempty`."""
    return value is None or (isinstance(value, bool | int | float | str | list | dict) and not value)
