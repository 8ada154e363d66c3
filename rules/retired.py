"""Ids of rules that are gone, with the rule that judges the same now."""

from collections.abc import Mapping

SUCCESSORS: Mapping[str, str | None] = {
    "benchmark-concurrency-within-engine": "benchmark-within-engine",
    "benchmark-lengths-fit": "benchmark-within-engine",
    "benchmark-matches-deployment": None,
    "benchmark-off-its-target": None,
    "benchmark-tool-pinned": None,
    "benchmark-unprivileged": None,
    "benchmark-wait-bounded": None,
    "cache-holds-two-revisions": "cache-holds-the-model",
    "cache-not-under-root": "model-path-mounted",
    "cache-zone": None,
    "download-memory-limited": None,
    "download-tool-current": None,
    "frontend-reads-the-cache": "offline-frontend-has-the-model",
    "harmony-vocabulary": None,
    "model-revision-pinned": "model-revision-equal",
    "node-cache-awaited": "node-cache-filled",
    "requested-name-served": "benchmark-within-engine",
}
"""Retired id -> id of its successor; None where no rule here judges that any more."""


def successor(rule_id: str) -> str | None:
    """What became of a retired rule, as a sentence's end; None for an id that never was one."""
    if rule_id not in SUCCESSORS:
        return None
    heir = SUCCESSORS[rule_id]
    return f"is part of {heir} now" if heir is not None else "is retired; remove the waiver"
