"""Ids of rules that are gone, with the rule that judges the same now."""

from collections.abc import Mapping

SUCCESSORS: Mapping[str, str | None] = {
    "batch-fits-a-step": None,
    "benchmark-concurrency-within-engine": "benchmark-within-engine",
    "benchmark-lengths-fit": "benchmark-within-engine",
    "benchmark-matches-deployment": None,
    "benchmark-off-its-target": None,
    "benchmark-tool-pinned": None,
    "benchmark-unprivileged": None,
    "benchmark-wait-bounded": None,
    "block-reuse-with-transfer": "kv-transfer-is-safe",
    "cache-holds-two-revisions": "cache-holds-the-model",
    "cache-not-under-root": "model-path-mounted",
    "cache-zone": None,
    "component-type-matches-role": "component-type-known",
    "cuda-graph-sizes-agree": "engine-settings-accepted",
    "deprecated-settings": "flags-exist",
    "disaggregation-mode-known": "flags-exist",
    "download-memory-limited": None,
    "download-tool-current": None,
    "drain-covers-requests": None,
    "engine-file-readable": "engine-settings-accepted",
    "engine-values-allowed": "engine-settings-accepted",
    "frontend-reads-the-cache": "offline-frontend-has-the-model",
    "harmony-vocabulary": None,
    "image-tag-admitted": "runtime-matches-platform",
    "kv-router-hears-events": "kv-router-knows-the-cache",
    "model-revision-pinned": "model-revision-equal",
    "node-cache-awaited": "node-cache-filled",
    "one-probe-handler": "probed-port-named",
    "overlap-scheduler-in-prefill": "kv-transfer-is-safe",
    "prompt-fits-a-step": "sequence-length-within-model",
    "removed-engine-keys": "engine-settings-accepted",
    "requested-name-served": "benchmark-within-engine",
    "router-block-size-equal": "kv-router-knows-the-cache",
    "runtime-image-exists": "image-brings-the-engine",
    "served-name-equal": "prefill-and-decode-agree",
    "settings-without-effect": "engine-settings-accepted",
    "system-ports-unique": None,
    "tokens-per-block-equal": "prefill-and-decode-agree",
    "transceiver-fits-backend": "kv-transfer-is-safe",
    "transfer-buffer-aligned": "transfer-buffer-holds-the-prompt",
    "transfer-buffer-holds-the-benchmark": "transfer-buffer-holds-the-prompt",
    "transfer-buffer-set": "transfer-buffer-holds-the-prompt",
    "unlisted-engine-keys": "engine-settings-accepted",
}
"""Retired id -> id of its successor; None where no rule here judges that any more."""


def successor(rule_id: str) -> str | None:
    """What became of a retired rule, as a sentence's end; None for an id that never was one."""
    if rule_id not in SUCCESSORS:
        return None
    heir = SUCCESSORS[rule_id]
    return f"is part of {heir} now" if heir is not None else "is retired; remove the waiver"
