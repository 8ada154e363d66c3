"""The handlers of operations that moto lacks, by service and operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lab.aws_provider.cloud.place import Place

Handler = Callable[[Place, dict[str, Any]], dict[str, Any]]

HANDLERS: dict[tuple[str, str], Handler] = {}


def answers(service: str, operation: str) -> Callable[[Handler], Handler]:
    """Marks a function as the one that answers an operation."""

    def register(handler: Handler) -> Handler:
        if (service, operation) in HANDLERS:
            raise ValueError(f"two handlers of {service}:{operation}")
        HANDLERS[service, operation] = handler
        return handler

    return register
