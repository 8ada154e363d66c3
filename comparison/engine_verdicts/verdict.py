"""What becomes of one resource that differs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from comparison.changes import Effect, FieldChange, Operation, dotted
from comparison.pairs import Pair
from resource_graph.values import Path

_ANY = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The operation, and what follows from each field."""

    fields: tuple[FieldChange, ...]
    operation: Operation = Operation.UPDATE
    deletes_first: bool = False
    reasons: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    """Why the API server refuses it: nothing of what is made anew, which it compares with nothing."""


def settled(
    pair: Pair,
    fields: Sequence[FieldChange],
    *,
    provider_deletes_first: bool,
    reasons: Iterable[str],
    refusal: Callable[[FieldChange], str],
) -> Outcome:
    """Return the verdict that the fields' effects add up to.

    Args:
        pair: the resource.
        fields: with the provider's effects; those of the option replaceOnChanges are added here.
        provider_deletes_first: whether the provider, for a replacement of its own, asks for the old one's end
            first. For one that the option asks for it is not heard (facts/provider.md §1).
        reasons: of the fields.
        refusal: why a field is refused.

    """
    asked = [
        replace(each, effect=Effect.REPLACES) if under(each.path, pair.after.replace_on_changes) else each
        for each in fields
    ]
    if not any(each.effect is Effect.REPLACES for each in asked):
        return Outcome(
            fields=tuple(asked),
            reasons=tuple(dict.fromkeys(reasons)),
            refusals=tuple(dict.fromkeys(refusal(each) for each in asked if each.effect is Effect.REFUSED)),
        )
    by_provider = any(each.effect is Effect.REPLACES for each in fields)
    option = pair.after.delete_before_replace
    return Outcome(
        fields=made_anew(asked),
        operation=Operation.REPLACE,
        deletes_first=(by_provider and provider_deletes_first) if option is None else option,
        reasons=tuple(dict.fromkeys([*reasons, *_asked_reasons(asked, by_provider=by_provider)])),
    )


def made_anew(fields: Iterable[FieldChange]) -> tuple[FieldChange, ...]:
    """Return the fields of what is replaced: the API server compares it with nothing, and refuses nothing."""
    return tuple(
        replace(each, effect=Effect.IN_PLACE) if each.effect is Effect.REFUSED else each for each in fields
    )


def touches(change: FieldChange, patterns: Iterable[str]) -> bool:
    """Return whether the change lies at or under a pattern, or is of a part around it."""
    return any(_begins(change.path, pattern.split(".")) for pattern in patterns)


def under(path: Path, patterns: Iterable[str]) -> bool:
    """Return whether the path is one of the patterns', or below it."""
    steps = (pattern.split(".") for pattern in patterns)
    return any(len(path) >= len(each) and _begins(path, each) for each in steps)


def _asked_reasons(fields: Sequence[FieldChange], *, by_provider: bool) -> tuple[str, ...]:
    if by_provider:
        return ()
    paths = ", ".join(dotted(each.path) for each in fields if each.effect is Effect.REPLACES)
    return (f"The program asks for a replacement when {paths} changes (replaceOnChanges).",) if paths else ()


def _begins(path: Path, steps: Sequence[str]) -> bool:
    return all(step in {_ANY, str(part)} for part, step in zip(path, steps, strict=False))
