"""Whether a mock engine answers in the place of a model."""

from collections.abc import Mapping
from typing import Any

ENGINE_ANNOTATION = "dynamo-stack.lab/engine"
"""On a pod whose engine is not the one of its image; its value says which one it is."""
MOCK_ENGINE = "mock"
"""`dynamo.mocker`, whose answers are tokens at random."""


def engine_of(pod: Mapping[str, Any]) -> str:
    """What answers in the pod in its engine's place; empty: the engine of its image."""
    return str((pod.get("metadata", {}).get("annotations") or {}).get(ENGINE_ANNOTATION, ""))
