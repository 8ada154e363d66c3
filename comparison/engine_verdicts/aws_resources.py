"""Resources of an AWS account: replacements, nodes that roll, purchases."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from comparison.changes import Effect, FieldChange
from comparison.engine_verdicts.aws_tables import CAPACITY_BLOCK, LUSTRE, NODE_GROUP, REPLACED, ROLLS_NODES
from comparison.engine_verdicts.patterns import touches_any
from comparison.engine_verdicts.verdict import Outcome, settled
from comparison.field_path import dotted
from comparison.pairs import Pair

_CAPACITY = ("storageCapacity",)
BUYS_A_BLOCK = "It buys a Capacity Block: the whole fee is paid at once, and nothing gives it back."
KEEPS_PAYING = "The Capacity Block that was bought before runs on and stays paid: to delete it does nothing."


def aws_verdict(pair: Pair, fields: Sequence[FieldChange]) -> Outcome:
    """Return what becomes of a resource of the account.

    Args:
        pair: the resource on both sides.
        fields: every input that differs.

    """
    judged = [replace(each, effect=_effect(pair.after.type, each)) for each in fields]
    # AWS's provider leaves the order to the engine, which creates first.
    return settled(pair, judged, provider_deletes_first=False, reasons=[*_reasons(pair.after.type, judged)])


def _effect(resource_type: str, change: FieldChange) -> Effect:
    if touches_any(change, REPLACED.get(resource_type, ())) or _shrinks(resource_type, change):
        return Effect.REPLACES
    if touches_any(change, ROLLS_NODES.get(resource_type, ())):
        return Effect.ROLLS_NODES
    return Effect.IN_PLACE


def _shrinks(resource_type: str, change: FieldChange) -> bool:
    """Whether a file system would get smaller, for which FSx has no call."""
    if resource_type != LUSTRE or change.path != _CAPACITY:
        return False
    before, after = change.before, change.after
    # An amount that only the update knows may be less.
    return not (isinstance(before, int) and isinstance(after, int) and before <= after)


def _reasons(resource_type: str, fields: Sequence[FieldChange]) -> Iterator[str]:
    replacing = [each for each in fields if each.effect is Effect.REPLACES]
    if resource_type == CAPACITY_BLOCK and replacing:
        yield BUYS_A_BLOCK
        yield KEEPS_PAYING
        return
    for each in replacing:
        yield f"AWS cannot change {dotted(each.path)} of what exists."
    if resource_type == NODE_GROUP and any(each.effect is Effect.ROLLS_NODES for each in fields):
        yield "EKS drains the group's nodes and replaces them."
