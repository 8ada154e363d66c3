"""Kubernetes objects: what replaces them, what the API server refuses, and which pods start anew."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from comparison.amounts import amount_of
from comparison.changes import Effect, FieldChange
from comparison.engine_verdicts.kubernetes_tables import (
    BUILT_IN_GROUPS,
    IDENTITY,
    MUTABLE_SETTING,
    POD_TEMPLATES,
    REFUSED,
    Kind,
    Patterns,
    kind_of,
    replaced,
)
from comparison.engine_verdicts.patterns import touches, touches_any, under
from comparison.engine_verdicts.verdict import Outcome, Sides, settled
from comparison.field_path import dotted
from comparison.fields import literal_changes
from comparison.known_defaults.objects import shape_of
from comparison.known_defaults.shape import Shape
from comparison.nested_values import is_list, value_at
from comparison.pairs import Pair
from comparison.secret_values import inputs_of
from resource_graph import Resource

_CLAIM, _STORAGE = ("", "PersistentVolumeClaim"), ("spec", "resources", "requests", "storage")
_STORAGE_CLASS = "StorageClass"
_SERVICE, _BALANCER = ("", "Service"), ("spec", "loadBalancerClass")
_WITH_CONTENT = frozenset({("", "ConfigMap"), ("", "Secret")})
_CONTENT = (("data",), ("binaryData",), ("stringData",))


def kubernetes_verdict(pair: Pair, fields: Sequence[FieldChange], sides: Sides) -> Outcome:
    """Return what becomes of a Kubernetes object of any kind but a Dynamo graph.

    Args:
        pair: the object on both sides.
        fields: every field that differs to the API server.
        sides: all resources, among which are its provider and the class of its volume.

    """
    kind = kind_of(pair.after.api_version, pair.after.kind)
    forcing = (*IDENTITY, *_forcing(kind, pair, sides))
    everything = [*fields, *_spelled_otherwise(pair, fields, forcing)]
    judged = [replace(each, effect=_effect(each, kind, pair, forcing)) for each in everything]
    if kind == _CLAIM:
        judged = [_sized(each, pair, sides) for each in judged]
    reasons = [*_reasons(judged, pair), *_spelling_reasons(fields, everything, pair)]
    return settled(pair, judged, provider_deletes_first=_keeps_name(pair), reasons=reasons)


def version_effect(kind: Kind) -> Effect:
    """Return what another version of an object's API does to it."""
    return Effect.IN_PLACE if kind[0] in BUILT_IN_GROUPS else Effect.REFUSED


def _forcing(kind: Kind, pair: Pair, sides: Sides) -> Patterns:
    setting = MUTABLE_SETTING.get(kind)
    allowed = setting is not None and sides.provider_inputs(pair.after).get(setting) in {True, "true"}
    return replaced(kind, is_mutable=allowed and not _is_immutable(pair.after))


def _effect(change: FieldChange, kind: Kind, pair: Pair, forcing: Patterns) -> Effect:
    if touches_any(change, forcing):
        return Effect.REPLACES
    if change.path == ("apiVersion",):
        return version_effect(kind)
    is_refused = touches_any(change, REFUSED.get(kind, ())) and not _is_taken_by_service(change, kind, pair)
    if is_refused or _is_of_immutable_content(change, kind, pair):
        return Effect.REFUSED
    if touches_any(change, POD_TEMPLATES.get(kind, ())):
        return Effect.NOT_APPLIED if _waits(pair.after) else Effect.ROLLS_PODS
    return Effect.IN_PLACE


def _is_taken_by_service(change: FieldChange, kind: Kind, pair: Pair) -> bool:
    """Whether a Service takes what it refuses elsewhere (kubernetes pkg/registry/core/service/strategy.go).

    A class comes and goes with the type LoadBalancer, and a second family of addresses beside the first.
    """
    if kind != _SERVICE:
        return False
    specs = [each.inputs.get("spec") for each in (pair.before, pair.after)]
    if touches(change, _BALANCER):
        return any(value_at(spec, "type") != "LoadBalancer" for spec in specs)
    old, new = (value_at(spec, "ipFamilies") for spec in specs)
    return not is_list(old) or not is_list(new) or old[:1] == new[:1]


def _is_of_immutable_content(change: FieldChange, kind: Kind, pair: Pair) -> bool:
    if kind not in _WITH_CONTENT or not _is_immutable(pair.before):
        return False
    return change.path == ("immutable",) or touches_any(change, _CONTENT)


def _waits(workload: Resource) -> bool:
    """Whether the controller leaves running pods alone until somebody deletes or resumes them."""
    spec = workload.inputs.get("spec")
    return value_at(spec, "paused") is True or value_at(spec, "updateStrategy", "type") == "OnDelete"


def _sized(change: FieldChange, pair: Pair, sides: Sides) -> FieldChange:
    if not touches(change, _STORAGE) or change.effect is Effect.REPLACES:
        return change
    before, after = (_storage(each) for each in (pair.before, pair.after))
    grows = isinstance(before, Fraction) and isinstance(after, Fraction) and before < after
    allowed = grows and _allows_growth(pair.after, sides)
    return replace(change, effect=Effect.IN_PLACE if allowed else Effect.REFUSED)


def _storage(claim: Resource) -> object:
    return amount_of(value_at(claim.inputs, *_STORAGE))


def _allows_growth(claim: Resource, sides: Sides) -> bool:
    """Whether the claim's class lets it grow; a class that is none of the stack's own is taken to."""
    name = value_at(claim.inputs, "spec", "storageClassName")
    if name == "":
        return False
    classes = (
        each for each in sides.head.values() if each.kind == _STORAGE_CLASS and each.object_name == name
    )
    return all(each.inputs.get("allowVolumeExpansion") is True for each in classes)


def _spelled_otherwise(pair: Pair, fields: Sequence[FieldChange], forcing: Patterns) -> Iterator[FieldChange]:
    """Yield what the provider replaces the object for though the API server would see no difference.

    It compares what was written, lists by index, and knows no defaults (provider/pkg/provider/diff.go).
    """
    shape = shape_of(pair.after.api_version or "", pair.after.kind or "")
    before, after = inputs_of(pair.before), inputs_of(pair.after)
    for steps in forcing:
        if steps in IDENTITY or any(touches(each, steps) for each in fields):
            continue
        old, new = value_at(before, *steps), value_at(after, *steps)
        yield from literal_changes(steps, old, new, _part(shape, steps))


def _part(shape: Shape | None, steps: Sequence[str]) -> Shape | None:
    for step in steps:
        shape = shape.part(step) if shape is not None else None
    return shape


def _keeps_name(pair: Pair) -> bool:
    # Two objects of one name cannot be at once (facts/provider.md §1, deleteBeforeReplace).
    before, after = pair.before, pair.after
    return (
        isinstance(after.object_name, str)
        and after.object_name == before.object_name
        and (after.namespace or "default") == (before.namespace or "default")
    )


def _is_immutable(resource: Resource) -> bool:
    return resource.inputs.get("immutable") is True


def _reasons(fields: Sequence[FieldChange], pair: Pair) -> Iterator[str]:
    kind = pair.after.kind
    for each in fields:
        path = dotted(each.path)
        if each.effect is Effect.REPLACES:
            if not any(under(each.path, steps) for steps in IDENTITY):
                yield f"The provider cannot change {path} of a {kind} in place."
            else:
                yield f"The provider makes another {kind} for another {path}."
        elif each.effect is Effect.REFUSED and each.path == ("apiVersion",):
            yield f"To the engine it is another object of this name, and a {kind} of this name exists."
        elif each.effect is Effect.REFUSED:
            yield f"The API server refuses to change {path} of a {kind}."
        elif each.effect is Effect.NOT_APPLIED:
            yield f"Pods keep what they have: the {kind} restarts none by itself."


def _spelling_reasons(
    fields: Sequence[FieldChange], everything: Sequence[FieldChange], pair: Pair
) -> Iterator[str]:
    if len(everything) > len(fields):
        yield (
            "It is spelled otherwise and means the same; the provider compares the spelling and replaces the "
            f"{pair.after.kind}."
        )
