"""What becomes of a resource that is on both sides, by what is known of its kind or type."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from comparison.changes import Change, Effect, FieldChange, Operation, ResourceChange
from comparison.engine_verdicts.dynamo_graphs import (
    another_service,
    is_made_again,
    restarts_a_worker,
)
from comparison.engine_verdicts.resource_types import (
    IDENTITY,
    ResourceType,
    is_stateful,
    touches,
    type_of,
    under,
)
from comparison.nested_values import amount_of
from comparison.pairs import Pair, name_of, title_of
from resource_graph import Resource, value_at
from resource_graph.printable import dotted

_CONTENT = ("data", "binaryData", "stringData")
_STORAGE = "spec.resources.requests.storage"


def changed(
    pair: Pair, fields: Sequence[FieldChange], head: Mapping[str, Resource], *, is_elsewhere: bool
) -> ResourceChange | None:
    """Return what engine, provider and API server make of the difference; None where nobody does anything.

    Args:
        pair: the resource on both sides.
        fields: every field that differs, but for those that an option of the resource ignores.
        head: all resources of the newer side, among which is the class of a volume.
        is_elsewhere: whether its provider becomes another cluster or region.

    """
    before, after = pair.before, pair.after
    options = tuple(_options(pair))
    if not (fields or options or is_elsewhere or pair.is_renamed):
        return None
    judged = [replace(each, effect=_effect(each, pair, head)) for each in fields]
    by_provider = any(each.effect is Effect.REPLACES for each in judged)
    asked = () if pair.is_renamed else after.replace_on_changes
    judged = [replace(each, effect=Effect.REPLACES) if under(each, asked) else each for each in judged]
    is_replaced = any(each.effect is Effect.REPLACES for each in judged)
    operation = _operation(pair, fields, is_made_anew=is_elsewhere or is_replaced)
    if operation is Operation.REPLACE:
        judged = [_unrefused(each) for each in judged]
    reasons = _reasons(pair, judged, operation, by_provider=by_provider)
    moves = ("Its provider is replaced, and with it everything that it made.",) if is_elsewhere else ()
    old = title_of(before)
    return ResourceChange(
        urn=after.urn,
        type=after.type,
        title=title_of(after),
        operation=operation,
        goes=old if operation is Operation.REPLACE and old != title_of(after) else None,
        fields=(*judged, *options),
        renamed_from=name_of(before) if pair.is_renamed else None,
        deletes_first=is_replaced and not is_elsewhere and _deletes_first(pair, by_provider=by_provider),
        # What the state says decides: an update that unprotects and deletes at once is refused.
        is_protected=bool(before.protect),
        is_stateful=is_stateful(after),
        reasons=tuple(dict.fromkeys((*reasons, *moves, *_of_options(pair, operation)))),
    )


def _operation(pair: Pair, fields: Sequence[FieldChange], *, is_made_anew: bool) -> Operation:
    if is_made_anew:
        return Operation.REPLACE
    # The engine writes its own options down in the state, and asks nobody to change anything.
    return Operation.UPDATE if fields or pair.is_renamed else Operation.KEEP


def _unrefused(change: FieldChange) -> FieldChange:
    """Return the change as one of what is made anew: the API server compares that with nothing."""
    return replace(change, effect=Effect.IN_PLACE) if change.effect is Effect.REFUSED else change


def _effect(change: FieldChange, pair: Pair, head: Mapping[str, Resource]) -> Effect:
    known = type_of(pair.after)
    if pair.is_renamed:
        # The engine makes the new one, then the pods that name it change, and the old one goes last.
        return Effect.ROLLS_PODS if touches(change, _CONTENT) else Effect.IN_PLACE
    if _is_replaced(change, pair.after, known):
        return Effect.REPLACES
    if _is_refused(change, pair, known, head):
        return Effect.REFUSED
    if touches(change, known.restarts_pods) and not under(change, known.scales):
        return Effect.ROLLS_PODS
    return Effect.ROLLS_NODES if touches(change, known.restarts_nodes) else Effect.IN_PLACE


def _is_replaced(change: FieldChange, resource: Resource, known: ResourceType) -> bool:
    if touches(change, known.replaced_for) or _shrinks(change, known):
        return True
    if another_service(change, resource):
        return is_made_again(resource)
    return resource.kind is not None and touches(change, IDENTITY)


def _is_refused(change: FieldChange, pair: Pair, known: ResourceType, head: Mapping[str, Resource]) -> bool:
    if pair.after.kind == "PersistentVolumeClaim" and touches(change, (_STORAGE,)):
        return not _grows(pair, head)
    return touches(change, known.refused) or bool(another_service(change, pair.after))


def _shrinks(change: FieldChange, known: ResourceType) -> bool:
    before, after = change.before, change.after
    # An amount that only the update knows may be less.
    grows = isinstance(before, int) and isinstance(after, int) and before <= after
    return touches(change, known.grows_only) and not grows


def _grows(pair: Pair, head: Mapping[str, Resource]) -> bool:
    """Whether a claim asks for more, and its class lets it; a class of somebody else's is taken to."""
    before, after = (
        amount_of(value_at(each.inputs, tuple(_STORAGE.split(".")))) for each in (pair.before, pair.after)
    )
    if not (isinstance(before, Fraction) and isinstance(after, Fraction) and before <= after):
        return False
    name = value_at(pair.after.inputs, ("spec", "storageClassName"))
    classes = [each for each in head.values() if each.kind == "StorageClass" and each.object_name == name]
    return name != "" and all(each.inputs.get("allowVolumeExpansion") is True for each in classes)


def _deletes_first(pair: Pair, *, by_provider: bool) -> bool:
    before, after = pair.before, pair.after
    if after.delete_before_replace is not None:
        return after.delete_before_replace
    # Two objects of one name cannot be at once; for a replacement that an option asks for the provider is not
    # heard (facts/provider.md §1). Other providers leave the order to the engine, which creates first.
    is_same_object = (
        after.kind is not None
        and isinstance(after.object_name, str)
        and after.object_name == before.object_name
        and (after.namespace or "default") == (before.namespace or "default")
    )
    return by_provider and is_same_object


def _reasons(
    pair: Pair, fields: Sequence[FieldChange], operation: Operation, *, by_provider: bool
) -> Iterator[str]:
    """Yield why it is refused, then why it is replaced, or what else it does.

    What the mark beside a field says, such as `replaces`, is not said again.
    """
    if pair.is_renamed:
        return
    known, after = type_of(pair.after), pair.after
    for each in fields:
        service = another_service(each, after)
        if service and each.effect is Effect.REFUSED:
            yield f"{service}, which the webhook refuses of a graph that exists."
    replaced = [each for each in fields if each.effect is Effect.REPLACES]
    if replaced and not by_provider:
        paths = ", ".join(dotted(each.path) for each in replaced)
        yield f"The program asks for a replacement when {paths} changes (replaceOnChanges)."
        return
    for each in replaced:
        yield from _why_replaced(each, after, known)
    if operation is Operation.REPLACE:
        return
    if any(restarts_a_worker(each, after) for each in fields):
        yield "Another template of one worker restarts all workers of the graph."
    if known.in_place is not None:
        yield known.in_place


def _why_replaced(change: FieldChange, resource: Resource, known: ResourceType) -> Iterator[str]:
    service = another_service(change, resource)
    if service:
        yield f"{service}, which the webhook refuses: the graph is made again."
    else:
        yield from (reason.format(dotted(change.path)) for reason in known.because)


def _options(pair: Pair) -> Iterator[FieldChange]:
    """Yield how the engine's own options differ, which say what may happen to the resource from then on."""
    for name, of in (("protect", "protect"), ("retainOnDelete", "retain_on_delete")):
        before, after = (bool(getattr(each, of)) for each in (pair.before, pair.after))
        if before != after:
            yield FieldChange(path=("options", name), change=Change.CHANGED, before=before, after=after)


def _of_options(pair: Pair, operation: Operation) -> Iterator[str]:
    """Yield what the resource's own options do: one sentence each."""
    if pair.before.protect and not pair.after.protect:
        yield "The engine refuses to delete it until this is applied, and no longer then."
    if operation is Operation.REPLACE and pair.before.retain_on_delete:
        yield "The old one stays where it is, and nobody looks after it any more (retainOnDelete)."
