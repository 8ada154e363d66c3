"""Ids of rules that are gone, with the rule that judges the same now."""

from collections.abc import Mapping

SUCCESSORS: Mapping[str, str | None] = {}
"""Retired id -> id of its successor; None where no rule here judges that any more."""


def successor(rule_id: str) -> str | None:
    """What became of a retired rule, as a sentence's end; None for an id that never was one."""
    if rule_id not in SUCCESSORS:
        return None
    heir = SUCCESSORS[rule_id]
    return f"is part of {heir} now" if heir is not None else "is retired; remove the waiver"
