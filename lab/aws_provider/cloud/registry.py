"""What the cloud does itself of an operation: the handlers that answer it, and the rules that refuse it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from lab.aws_provider.cloud.place import Place

Handler = Callable[[Place, dict[str, Any]], dict[str, Any]]
Rule = Callable[[Place, dict[str, Any]], None]

HANDLERS: dict[tuple[str, str], Handler] = {}
"""By service and operation; all others are moto's."""
RULES: dict[tuple[str, str], list[Rule]] = defaultdict(list)


def answers(service: str, operation: str) -> Callable[[Handler], Handler]:
    """Marks a function as the one that answers an operation."""

    def register(handler: Handler) -> Handler:
        HANDLERS[service, operation] = handler
        return handler

    return register


def refuses(service: str, *operations: str) -> Callable[[Rule], Rule]:
    """Marks a function that raises Refused for requests to these operations that AWS refuses."""

    def register(rule: Rule) -> Rule:
        for operation in operations:
            RULES[service, operation].append(rule)
        return rule

    return register
