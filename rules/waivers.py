"""Waivers: rules that a stack breaks on purpose, for a time, and ids of rules that are gone."""

import contextlib
import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Resource, ResourceGraph, Value, has_unknown
from resource_graph.spelling import most_alike
from rules.model import Waiver
from rules.reading.shapes import shown
from rules.rule import EVERY_RELEASE, Advice, Observation, Rule, Severity, failed, observed, undecided

RULE_ID = "waiver-is-valid"
"""The rule about waivers, which no waiver silences."""
_LONGEST = dt.timedelta(days=366)


def active_waivers(graph: ResourceGraph, today: dt.date) -> Mapping[str, Waiver]:
    """Rule id -> the waiver that holds on that day; of several the one that holds longest.

    A waiver counts wherever in the program its component stands: it is the stack's, not one object's.
    """
    read = [_read(value) for _, value in _written(graph)]
    holding = [each for each in reversed(read) if isinstance(each, Waiver) and each.expires >= today]
    return {each.rule: each for each in sorted(holding, key=lambda waiver: waiver.expires)}


def waiver_rule(known_rules: Sequence[str], today: dt.date) -> Rule:
    """The rule that judges the waivers themselves, and cannot be waived."""

    def check(graph: ResourceGraph) -> Iterator[Observation]:
        # Several components can hand on the waivers of one stack: each is judged once.
        seen: list[Value] = []
        for resource, value in _written(graph):
            if value not in seen:
                seen.append(value)
                yield from _judge(resource, value, known_rules, today)

    return Rule(
        id=RULE_ID,
        title="Waiver names no rule, has expired, or lasts longer than a year",
        module=__name__,
        severity=Severity.MANDATORY,
        reason=(
            "A waiver that has expired or names no rule waives nothing, while a reader of the settings "
            "takes the exception for granted. One of ten years is no exception for a time: nobody will look "
            "at its reason again (advice)."
        ),
        source="the settings' own contract: waivers {rule, reason, expires}",
        lines=EVERY_RELEASE,
        fix=(
            "Renew or remove the waiver, or let it expire within a year; `dynamo-stack check` prints the ids "
            "of rules."
        ),
        check=check,
    )


def _judge(
    resource: Resource, value: Value, known_rules: Sequence[str], today: dt.date
) -> Iterator[Observation]:
    waiver = _read(value)
    if waiver is None:
        yield undecided(resource, "waivers", "a waiver's rule or date is known only after the update")
    elif isinstance(waiver, str):
        yield failed(resource, "waivers", waiver)
    elif waiver.rule in SUCCESSORS:
        heir = SUCCESSORS[waiver.rule]
        became = "is retired; remove the waiver" if heir is None else f"is part of {heir} now"
        yield failed(resource, f"waiver of {waiver.rule}", f"{waiver.rule} {became}")
    elif waiver.rule not in known_rules:
        near = most_alike(waiver.rule, known_rules, 0.0)
        said = f"no rule that can be waived has the id {waiver.rule}"
        meant = f"; did you mean {near}?" if near else ""
        yield failed(resource, f"waiver of {waiver.rule}", f"{said}{meant}")
    elif waiver.expires < today:
        said = f"expired on {waiver.expires.isoformat()} and waives nothing; renew or remove it"
        yield failed(resource, f"waiver of {waiver.rule}", said)
    elif waiver.expires > today + _LONGEST:
        said = f"holds until {waiver.expires.isoformat()}, longer than a year"
        yield observed(resource, f"waiver of {waiver.rule}", Advice(said))


def _written(graph: ResourceGraph) -> Iterator[tuple[Resource, Value]]:
    for resource in graph.components():
        value = resource.inputs.get("waivers")
        if isinstance(value, Sequence) and not isinstance(value, str):
            yield from ((resource, item) for item in value)
        elif value is not None:
            yield resource, value


def _read(value: Value) -> Waiver | str | None:
    """The waiver; a text that says what is wrong; None where the value is known only after the update."""
    if has_unknown(value):
        return None
    match [value.get(key) for key in ("rule", "reason", "expires")] if isinstance(value, Mapping) else []:
        case [str(rule_id), str(reason), str(expires)] if rule_id and reason:
            with contextlib.suppress(ValueError):
                return Waiver(rule_id, reason, dt.date.fromisoformat(expires))
        case _:
            pass
    form = "rule, reason and expires, texts, and expires is a date such as 2027-01-31"
    parts = value.items() if isinstance(value, Mapping) else ()
    given = ", ".join(f"{key} {shown(part)}" for key, part in parts) or shown(value)
    return f"is {given}; a waiver has {form}"


SUCCESSORS: Mapping[str, str | None] = {
    "aggregated-recipe-hardware": None,
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
    "compute-domain-depends-on-driver": "graph-depends-on-operator",
    "compute-domain-has-a-fabric": "compute-domain-claims",
    "compute-domain-node-count": "one-compute-domain",
    "cuda-graph-sizes-agree": "engine-settings-accepted",
    "deprecated-settings": "flags-exist",
    "disaggregation-mode-known": "flags-exist",
    "download-memory-limited": None,
    "download-tool-current": None,
    "drain-covers-requests": None,
    "efa-image-architecture": None,
    "engine-file-readable": "engine-settings-accepted",
    "engine-files-roll-pods": None,
    "engine-values-allowed": "engine-settings-accepted",
    "expert-parallelism-divides": "parallelism-divides-model",
    "fp8-kv-cache-tested": "kv-cache-dtype-known",
    "frontend-off-gpu-nodes": None,
    "frontend-reads-the-cache": "offline-frontend-has-the-model",
    "full-concurrency-fits": "kv-cache-fits",
    "gpu-product-is-selected": "pod-selects-a-pool",
    "gpu-taint-tolerated": "pod-selects-a-pool",
    "graph-deleted-in-background": None,
    "graph-depends-on-definition": "graph-depends-on-operator",
    "graph-is-awaited": "waits-have-timeouts",
    "harmony-vocabulary": None,
    "image-tag-admitted": "runtime-matches-platform",
    "imdsv2-required": None,
    "job-fits-a-node": None,
    "kv-router-hears-events": "kv-router-knows-the-cache",
    "kv-transfer-agrees": "prefill-and-decode-agree",
    "kv-transport-bandwidth": "kv-transport-devices",
    "kv-transport-in-one-clique": "kv-transport-placement",
    "kv-transport-pins-memory": "kv-transport-privileges",
    "kv-transport-possible": "kv-transport-proven",
    "model-revision-pinned": "model-revision-equal",
    "moe-backend-substituted": "moe-backend-runs",
    "names-fixed": None,
    "narrow-iam": None,
    "neighbours-gpus-visible": "kv-transport-settings",
    "network-policies-admit": None,
    "network-policies-enforced": None,
    "no-privileged-containers": "pods-run-unprivileged",
    "no-wildcard-iam": None,
    "node-cache-awaited": "node-cache-filled",
    "node-credentials-out-of-reach": None,
    "nvlink-setting-fits-transport": "kv-transport-settings",
    "one-claim-per-tray": "workers-fit-pool",
    "one-gpu-allocator": None,
    "one-probe-handler": "probed-port-named",
    "one-sequence-fits": "kv-cache-fits",
    "other-waits-have-timeouts": "waits-have-timeouts",
    "overlap-scheduler-in-prefill": "kv-transfer-is-safe",
    "packets-fit-local-zone": None,
    "pipeline-parallelism-of-gpt-oss": "parallelism-divides-model",
    "pod-anti-affinity-can-match": "pod-affinity-can-match",
    "pod-fits-some-node": "worker-fits-node",
    "privileges-for-hardware": "pods-run-unprivileged",
    "prompt-fits-a-step": "sequence-length-within-model",
    "quantization-override-known": "quantization-override-has-effect",
    "removed-engine-keys": "engine-settings-accepted",
    "requested-name-served": "benchmark-within-engine",
    "requests-within-limits": None,
    "rollout-annotated-on-the-pod": "rollout-can-proceed",
    "rollout-default-can-proceed": "rollout-can-proceed",
    "router-block-size-equal": "kv-router-knows-the-cache",
    "runtime-image-exists": "image-brings-the-engine",
    "same-kv-cache-dtype": "prefill-and-decode-agree",
    "same-quantization": "prefill-and-decode-agree",
    "served-name-equal": "prefill-and-decode-agree",
    "servers-survive-a-node": None,
    "settings-without-effect": "engine-settings-accepted",
    "shared-memory-within-limit": "pods-request-memory",
    "system-ports-unique": None,
    "tensor-parallelism-divides-heads": "parallelism-divides-model",
    "tokens-per-block-equal": "prefill-and-decode-agree",
    "transceiver-fits-backend": "kv-transfer-is-safe",
    "transfer-buffer-aligned": "transfer-buffer-holds-the-prompt",
    "transfer-buffer-holds-the-benchmark": "transfer-buffer-holds-the-prompt",
    "transfer-buffer-set": "transfer-buffer-holds-the-prompt",
    "transfer-buffers-fit": "kv-cache-fits",
    "unlisted-engine-keys": "engine-settings-accepted",
    "vllm-moe-env-without-effect": "vllm-moe-backend",
    "volumes-encrypted": None,
    "waiver-ends-within-a-year": "waiver-is-valid",
}
"""Retired id -> id of its successor; None where no rule here judges that any more."""
