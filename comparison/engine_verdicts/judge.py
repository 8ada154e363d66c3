"""What becomes of a resource that differs, by what is known of its kind or type."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from comparison.changes import Effect, FieldChange, Operation, dotted
from comparison.engine_verdicts.dynamo_graphs import graph_verdict, is_graph
from comparison.engine_verdicts.resource_types import IDENTITY, ResourceType, group_of, type_of
from comparison.engine_verdicts.verdict import Outcome, made_anew, settled, touches, under
from comparison.nested_values import amount_of, value_at
from comparison.pairs import Pair
from resource_graph import Resource

_BUILT_IN_GROUPS = frozenset(
    {
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "autoscaling",
        "batch",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    }
)
"""Groups that the SDK has classes for: such an object keeps its identity through another API version, as each
class names the others as aliases (facts/provider.md §4)."""
_CONTENT = ("data", "binaryData", "stringData")
_VERSION = ("apiVersion",)
_STORAGE = "spec.resources.requests.storage"
_BECAUSE_OF_AWS = ("AWS cannot change {} of what exists.",)
_BECAUSE_OF_KUBERNETES = ("The provider cannot change {} of a {} in place.",)


def verdict_on(pair: Pair, fields: Sequence[FieldChange], head: Mapping[str, Resource]) -> Outcome:
    """Return what the engine, the provider and the API server make of the difference.

    Args:
        pair: the resource on both sides.
        fields: every field that differs, but for those that an option of the resource ignores.
        head: all resources of the newer side, among which is the class of a volume.

    """
    if pair.is_renamed:
        # The engine makes the new one, then the pods that name it change, and the old one goes last.
        return Outcome(fields=tuple(map(_of_renamed, fields)))
    if is_graph(pair.after):
        return graph_verdict(pair, fields)
    known = type_of(pair.after)
    judged = [replace(each, effect=_effect(each, pair, known, head)) for each in fields]
    # Providers of anything but Kubernetes objects leave the order to the engine, which creates first.
    keeps_name = pair.after.kind is not None and _keeps_name(pair)
    return settled(
        pair,
        judged,
        provider_deletes_first=keeps_name,
        reasons=_reasons(judged, pair.after.kind, known),
        refusal=lambda change: _refusal(change, pair.after.kind),
    )


def elsewhere(verdict: Outcome) -> Outcome:
    """Return the verdict on a resource whose provider becomes another cluster or region."""
    return replace(
        verdict,
        fields=made_anew(verdict.fields),
        operation=Operation.REPLACE,
        deletes_first=False,
        reasons=(*verdict.reasons, "Its provider is replaced, and with it everything that it made."),
        refusals=(),
    )


def _of_renamed(change: FieldChange) -> FieldChange:
    return replace(change, effect=Effect.ROLLS_PODS) if touches(change, _CONTENT) else change


def _effect(change: FieldChange, pair: Pair, known: ResourceType, head: Mapping[str, Resource]) -> Effect:
    is_object = pair.after.kind is not None
    if touches(change, known.replaced_for) or _shrinks(change, known):
        return Effect.REPLACES
    if is_object and touches(change, IDENTITY):
        return Effect.REPLACES
    if is_object and change.path == _VERSION:
        return Effect.IN_PLACE if group_of(pair.after) in _BUILT_IN_GROUPS else Effect.REFUSED
    is_size = pair.after.kind == "PersistentVolumeClaim" and touches(change, (_STORAGE,))
    if touches(change, known.refused) or (is_size and not _grows(pair, head)):
        return Effect.REFUSED
    if touches(change, known.restarts_pods):
        return Effect.ROLLS_PODS
    return Effect.ROLLS_NODES if touches(change, known.restarts_nodes) else Effect.IN_PLACE


def _shrinks(change: FieldChange, known: ResourceType) -> bool:
    before, after = change.before, change.after
    # An amount that only the update knows may be less.
    grows = isinstance(before, int) and isinstance(after, int) and before <= after
    return touches(change, known.grows_only) and not grows


def _grows(pair: Pair, head: Mapping[str, Resource]) -> bool:
    """Whether a claim asks for more, and its class lets it; a class of somebody else's is taken to."""
    before, after = (
        amount_of(value_at(each.inputs, *_STORAGE.split("."))) for each in (pair.before, pair.after)
    )
    if not (isinstance(before, Fraction) and isinstance(after, Fraction) and before < after):
        return False
    name = value_at(pair.after.inputs, "spec", "storageClassName")
    classes = [each for each in head.values() if each.kind == "StorageClass" and each.object_name == name]
    return name != "" and all(each.inputs.get("allowVolumeExpansion") is True for each in classes)


def _keeps_name(pair: Pair) -> bool:
    # Two objects of one name cannot be at once (facts/provider.md §1, deleteBeforeReplace).
    before, after = pair.before, pair.after
    return (
        isinstance(after.object_name, str)
        and after.object_name == before.object_name
        and (after.namespace or "default") == (before.namespace or "default")
    )


def _reasons(fields: Sequence[FieldChange], kind: str | None, known: ResourceType) -> Iterator[str]:
    because = known.because or (_BECAUSE_OF_AWS if kind is None else _BECAUSE_OF_KUBERNETES)
    for each in fields:
        path = dotted(each.path)
        if each.effect is Effect.REPLACES and kind is not None and under(each.path, IDENTITY):
            yield f"The provider makes another {kind} for another {path}."
        elif each.effect is Effect.REPLACES:
            yield from (reason.format(path, kind) for reason in because)
        elif each.effect is Effect.ROLLS_NODES:
            yield "EKS drains the group's nodes and replaces them."
    if known.in_place is not None and not any(each.effect is Effect.REPLACES for each in fields):
        yield known.in_place


def _refusal(change: FieldChange, kind: str | None) -> str:
    if change.path == _VERSION:
        return f"To the engine it is another object of this name, and a {kind} of this name exists."
    return f"The API server refuses to change {dotted(change.path)} of a {kind}."
