"""Helm releases: the chart's templates are not part of a recording."""

from collections.abc import Sequence
from dataclasses import replace

from comparison.changes import Effect, FieldChange
from comparison.engine_verdicts.patterns import patterns, touches_any
from comparison.engine_verdicts.verdict import Outcome, settled
from comparison.field_path import dotted
from comparison.pairs import Pair

_IDENTITY = patterns("name", "namespace")
_OPAQUE = "Helm upgrades it in place; which of the chart's objects change or restart is not compared."


def release_verdict(pair: Pair, fields: Sequence[FieldChange]) -> Outcome:
    """Return what becomes of a release: another name or namespace replaces it, the rest is an upgrade.

    The provider never deletes first, so that two charts of the same cluster-wide objects meet
    (pulumi-kubernetes 4.32 provider/pkg/provider/helm_release.go).
    """
    judged = [
        replace(each, effect=Effect.REPLACES) if touches_any(each, _IDENTITY) else each for each in fields
    ]
    reasons = [
        f"Helm cannot change {dotted(each.path)} of a release."
        for each in judged
        if each.effect is Effect.REPLACES
    ]
    return settled(pair, judged, provider_deletes_first=False, reasons=reasons or [_OPAQUE])
