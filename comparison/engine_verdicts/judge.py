"""What becomes of a resource that differs, by what is known of its kind or type."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from comparison.changes import Effect, FieldChange, Operation, dotted
from comparison.engine_verdicts.dynamo_graphs import graph_verdict, is_graph
from comparison.engine_verdicts.resource_types import IDENTITY, Patterns, ResourceType, group_of, type_of
from comparison.engine_verdicts.verdict import Outcome, Sides, made_anew, settled, touches, under
from comparison.nested_values import amount_of, is_list, value_at
from comparison.pairs import Pair
from resource_graph import Resource
from resource_graph.urns import KUBERNETES, RELEASE_TYPE

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
_STORAGE = "spec.resources.requests.storage"
_BALANCER = ("spec.loadBalancerClass",)
_WITH_CONTENT = frozenset({"ConfigMap", "Secret"})
_CONTENT = ("data", "binaryData", "stringData", "immutable")


def verdict_on(pair: Pair, fields: Sequence[FieldChange], sides: Sides) -> Outcome:
    """Return what the engine, the provider and the API server make of the difference.

    Args:
        pair: the resource on both sides.
        fields: every field that differs, but for those that an option of the resource ignores.
        sides: all resources.

    """
    if pair.is_renamed:
        # The engine makes the new one, then what reads it changes, and the old one goes last.
        return Outcome(fields=tuple(fields))
    if is_graph(pair.after):
        return graph_verdict(pair, fields)
    if pair.after.type.startswith(KUBERNETES) and pair.after.type != RELEASE_TYPE:
        return _kubernetes_verdict(pair, fields, sides)
    known = type_of(pair.after)
    replaced_for = _replaced_for(known, pair)
    judged = [replace(each, effect=_effect_by_type(each, known, replaced_for)) for each in fields]
    # These providers leave the order to the engine, which creates first.
    return settled(pair, judged, provider_deletes_first=False, reasons=[*_reasons_by_type(known, judged)])


def elsewhere(verdict: Outcome) -> Outcome:
    """Return the verdict on a resource whose provider becomes another cluster or region."""
    return replace(
        verdict,
        fields=made_anew(verdict.fields),
        operation=Operation.REPLACE,
        deletes_first=False,
        reasons=(*verdict.reasons, "Its provider is replaced, and with it everything that it made."),
    )


def _replaced_for(known: ResourceType, pair: Pair) -> Patterns:
    name = known.identified_by
    if name is None or not all(side.inputs.get(name) for side in (pair.before, pair.after)):
        return known.replaced_for
    return (known.replaced_for[0], name)


def _effect_by_type(change: FieldChange, known: ResourceType, replaced_for: Patterns) -> Effect:
    if touches(change, replaced_for) or _shrinks(change, known):
        return Effect.REPLACES
    return Effect.ROLLS_NODES if touches(change, known.restarts_nodes) else Effect.IN_PLACE


def _shrinks(change: FieldChange, known: ResourceType) -> bool:
    before, after = change.before, change.after
    # An amount that only the update knows may be less.
    grows = isinstance(before, int) and isinstance(after, int) and before <= after
    return touches(change, known.grows_only) and not grows


def _reasons_by_type(known: ResourceType, fields: Sequence[FieldChange]) -> Iterator[str]:
    replacing = [dotted(each.path) for each in fields if each.effect is Effect.REPLACES]
    yield from (reason.format(path) for path in replacing for reason in known.because)
    if known.in_place is not None and not replacing:
        yield known.in_place
    if any(each.effect is Effect.ROLLS_NODES for each in fields):
        yield "EKS drains the group's nodes and replaces them."


def _kubernetes_verdict(pair: Pair, fields: Sequence[FieldChange], sides: Sides) -> Outcome:
    """Return what becomes of a Kubernetes object of any kind but a Dynamo graph.

    Args:
        pair: the object on both sides.
        fields: every field that differs to the API server.
        sides: all resources, among which are its provider and the class of its volume.

    """
    forcing = (*IDENTITY, *_forcing(pair, sides))
    judged = [replace(each, effect=_effect_on_object(each, pair, forcing)) for each in fields]
    if pair.after.kind == "PersistentVolumeClaim":
        judged = [_sized(each, pair, sides) for each in judged]
    return settled(
        pair, judged, provider_deletes_first=_keeps_name(pair), reasons=[*_reasons_of_object(judged, pair)]
    )


def _forcing(pair: Pair, sides: Sides) -> Patterns:
    known = type_of(pair.after)
    allowed = sides.provider_inputs(pair.after).get(known.mutable_by or "") in {True, "true"}
    return known.replaced_if_mutable if allowed and not _is_immutable(pair.after) else known.replaced_for


def _effect_on_object(change: FieldChange, pair: Pair, forcing: Patterns) -> Effect:
    known = type_of(pair.after)
    if touches(change, forcing):
        return Effect.REPLACES
    if change.path == ("apiVersion",):
        return Effect.IN_PLACE if group_of(pair.after) in _BUILT_IN_GROUPS else Effect.REFUSED
    is_refused = touches(change, known.refused) and not _is_taken_by_service(change, pair)
    if is_refused or _is_of_immutable_content(change, pair.before):
        return Effect.REFUSED
    if touches(change, known.restarts_pods):
        return Effect.NOT_APPLIED if _waits(pair.after) else Effect.ROLLS_PODS
    return Effect.IN_PLACE


def _is_taken_by_service(change: FieldChange, pair: Pair) -> bool:
    """Whether a Service takes what it refuses elsewhere (kubernetes pkg/registry/core/service/strategy.go).

    A class comes and goes with the type LoadBalancer, and a second family of addresses beside the first.
    """
    if pair.after.kind != "Service":
        return False
    specs = [each.inputs.get("spec") for each in (pair.before, pair.after)]
    if touches(change, _BALANCER):
        return any(value_at(spec, "type") != "LoadBalancer" for spec in specs)
    old, new = (value_at(spec, "ipFamilies") for spec in specs)
    return not is_list(old) or not is_list(new) or old[:1] == new[:1]


def _is_of_immutable_content(change: FieldChange, before: Resource) -> bool:
    return before.kind in _WITH_CONTENT and _is_immutable(before) and touches(change, _CONTENT)


def _waits(workload: Resource) -> bool:
    """Whether the controller leaves running pods alone until somebody deletes or resumes them."""
    spec = workload.inputs.get("spec")
    return value_at(spec, "paused") is True or value_at(spec, "updateStrategy", "type") == "OnDelete"


def _sized(change: FieldChange, pair: Pair, sides: Sides) -> FieldChange:
    if not touches(change, (_STORAGE,)) or change.effect is Effect.REPLACES:
        return change
    before, after = (_storage(each) for each in (pair.before, pair.after))
    grows = isinstance(before, Fraction) and isinstance(after, Fraction) and before < after
    allowed = grows and _allows_growth(pair.after, sides)
    return replace(change, effect=Effect.IN_PLACE if allowed else Effect.REFUSED)


def _storage(claim: Resource) -> object:
    return amount_of(value_at(claim.inputs, *_STORAGE.split(".")))


def _allows_growth(claim: Resource, sides: Sides) -> bool:
    """Whether the claim's class lets it grow; a class that is none of the stack's own is taken to."""
    name = value_at(claim.inputs, "spec", "storageClassName")
    if name == "":
        return False
    classes = (
        each for each in sides.head.values() if each.kind == "StorageClass" and each.object_name == name
    )
    return all(each.inputs.get("allowVolumeExpansion") is True for each in classes)


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


def _reasons_of_object(fields: Sequence[FieldChange], pair: Pair) -> Iterator[str]:
    kind = pair.after.kind
    for each in fields:
        path = dotted(each.path)
        if each.effect is Effect.REPLACES:
            if not under(each.path, IDENTITY):
                yield f"The provider cannot change {path} of a {kind} in place."
            else:
                yield f"The provider makes another {kind} for another {path}."
        elif each.effect is Effect.REFUSED and each.path == ("apiVersion",):
            yield f"To the engine it is another object of this name, and a {kind} of this name exists."
        elif each.effect is Effect.REFUSED:
            yield f"The API server refuses to change {path} of a {kind}."
        elif each.effect is Effect.NOT_APPLIED:
            yield f"Pods keep what they have: the {kind} restarts none by itself."
