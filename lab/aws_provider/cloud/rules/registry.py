"""Rules by the operation that they judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from lab.aws_provider.cloud.place import Place

Rule = Callable[[Place, dict[str, Any]], None]

RULES: dict[tuple[str, str], list[Rule]] = defaultdict(list)


def refuses(service: str, *operations: str) -> Callable[[Rule], Rule]:
    """Marks a function that raises Refused for requests to these operations that AWS refuses."""

    def register(rule: Rule) -> Rule:
        for operation in operations:
            RULES[service, operation].append(rule)
        return rule

    return register
