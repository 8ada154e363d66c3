"""What becomes of a resource that differs: by its kind, or by what is known of its type."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from comparison.changes import Effect, FieldChange, Operation
from comparison.engine_verdicts.dynamo_graphs import graph_verdict, is_graph
from comparison.engine_verdicts.kubernetes_objects import kubernetes_verdict
from comparison.engine_verdicts.resource_types import Patterns, ResourceType, type_of
from comparison.engine_verdicts.verdict import Outcome, Sides, made_anew, settled, touches
from comparison.field_path import dotted
from comparison.pairs import Pair
from resource_graph.urns import KUBERNETES, RELEASE_TYPE


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
        return kubernetes_verdict(pair, fields, sides)
    known = type_of(pair.after)
    replaced_for = _replaced_for(known, pair)
    judged = [replace(each, effect=_effect(each, known, replaced_for)) for each in fields]
    # These providers leave the order to the engine, which creates first.
    return settled(pair, judged, provider_deletes_first=False, reasons=[*_reasons(known, judged)])


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


def _effect(change: FieldChange, known: ResourceType, replaced_for: Patterns) -> Effect:
    if touches(change, replaced_for) or _shrinks(change, known):
        return Effect.REPLACES
    return Effect.ROLLS_NODES if touches(change, known.restarts_nodes) else Effect.IN_PLACE


def _shrinks(change: FieldChange, known: ResourceType) -> bool:
    before, after = change.before, change.after
    # An amount that only the update knows may be less.
    grows = isinstance(before, int) and isinstance(after, int) and before <= after
    return touches(change, known.grows_only) and not grows


def _reasons(known: ResourceType, fields: Sequence[FieldChange]) -> Iterator[str]:
    replacing = [dotted(each.path) for each in fields if each.effect is Effect.REPLACES]
    yield from (reason.format(path) for path in replacing for reason in known.because)
    if known.in_place is not None and not replacing:
        yield known.in_place
    if any(each.effect is Effect.ROLLS_NODES for each in fields):
        yield "EKS drains the group's nodes and replaces them."
