"""Providers: whether another configuration is another cluster or account, and with it everything in there."""

from collections.abc import Sequence
from dataclasses import replace

from comparison.changes import Effect, FieldChange
from comparison.engine_verdicts.verdict import Outcome, settled
from comparison.field_path import dotted
from comparison.pairs import Pair

KUBERNETES_PROVIDER = "pulumi:providers:kubernetes"
AWS_PROVIDER = "pulumi:providers:aws"

_IDENTIFIER = "clusterIdentifier"
_CLUSTER = frozenset({"kubeconfig", "context", "cluster"})
_OUTPUT = "renderYamlToDirectory"
_PLACE = frozenset({"region"})


def provider_verdict(pair: Pair, fields: Sequence[FieldChange]) -> Outcome:
    """Return whether the provider stays the same one.

    Of Kubernetes an unchanged clusterIdentifier keeps it, whatever else changes; without one another
    kubeconfig, context or cluster is taken for another cluster, as which of its entries is active cannot be
    seen in a recording (pulumi-kubernetes 4.32 provider/pkg/provider/provider.go, DiffConfig).
    """
    judged = [replace(each, effect=_effect(pair, each)) for each in fields]
    reasons = [
        f"Another {dotted(each.path)} is another {_what(pair)}: everything in it is made again there."
        for each in judged
        if each.effect is Effect.REPLACES
    ]
    return settled(pair, judged, provider_deletes_first=False, reasons=reasons)


def _effect(pair: Pair, change: FieldChange) -> Effect:
    name = str(change.path[0])
    if pair.after.type == AWS_PROVIDER:
        return Effect.REPLACES if name in _PLACE else Effect.IN_PLACE
    if pair.after.type != KUBERNETES_PROVIDER:
        return Effect.IN_PLACE
    identified = [side.inputs.get(_IDENTIFIER) for side in (pair.before, pair.after)]
    if name == _OUTPUT:
        return Effect.REPLACES
    if all(identified):
        return Effect.REPLACES if name == _IDENTIFIER else Effect.IN_PLACE
    return Effect.REPLACES if name in _CLUSTER else Effect.IN_PLACE


def _what(pair: Pair) -> str:
    return "region" if pair.after.type == AWS_PROVIDER else "cluster"
