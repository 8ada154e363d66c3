"""Engine options that TensorRT-LLM no longer has.

They still circulate in guides and blog posts. The engine forbids unknown keys, so a worker that finds one in
its engine file stops at start, long after the graph was admitted.
"""

from collections.abc import Iterable

from engines import REMOVED_ENGINE_KEYS


def refuse_removed_keys(keys: Iterable[str]) -> None:
    """Raise a ValueError that says what replaced each removed key."""
    found = [key for key in keys if key in REMOVED_ENGINE_KEYS]
    if found:
        raise ValueError(
            "; ".join(f"{key} is no engine option any more: {REMOVED_ENGINE_KEYS[key]}" for key in found)
        )
