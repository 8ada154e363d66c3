"""What a comparison comes to, in a line for each stack, and what must be read first."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from comparison.changes import Effect, Operation, ResourceChange
from comparison.stack_comparison import (
    Comparison,
    ComparisonVerdict,
    StackComparison,
    Standing,
    UncomparedStack,
)
from resource_graph.printable import dotted
from stacks.wording import in_words

_DONE = {
    Operation.DELETE: "deleted",
    Operation.REPLACE: "replaced",
    Operation.FORGET: "left behind",
    Operation.UPDATE: "updated",
    Operation.CREATE: "created",
    Operation.KEEP: "kept and treated otherwise",
}
_BLOCK = ":CapacityBlockReservation"
_PROVIDER = "pulumi:providers:"


@dataclass(frozen=True, slots=True)
class Quoted:
    """Text from a pull request, a recording or git: a terminal escapes it, a comment puts it into code."""

    text: str


Sentence = tuple[str | Quoted, ...]
"""Own words and quoted ones."""


def headline(comparison: Comparison) -> str:
    """Return how many stacks change, are stopped or were not compared."""
    counts = Counter(each.verdict for each in comparison.stacks)
    total = in_words(len(comparison.stacks), "stack")
    if not comparison.stacks:
        return "Neither side has a stack"
    if comparison.verdict is ComparisonVerdict.NO_CHANGES:
        return f"No changes in {total}"
    parts = (
        (counts[ComparisonVerdict.STOPPED], "must not be deployed like this"),
        (counts[ComparisonVerdict.NOT_COMPARED], "could not be compared"),
        (counts[ComparisonVerdict.CHANGES], "changed"),
        (counts[ComparisonVerdict.NO_CHANGES], "unchanged"),
    )
    return f"{total}: {', '.join(f'{count} {words}' for count, words in parts if count)}"


def verdict_line(stack: StackComparison | UncomparedStack) -> str:
    """Return what happens to the resources of a stack, counted, and why it must not be deployed."""
    if isinstance(stack, UncomparedStack):
        sides = " and ".join(f"the {side} side" for side in stack.unread)
        return f"not compared, as {sides} could not be read"
    if stack.standing is Standing.REMOVED:
        left = in_words(stack.left_behind, "resource")
        return f"its file is gone: {left} stay as they are until `pulumi destroy` of the older side"
    return ", ".join(_parts(stack)) or "no changes"


def red_lines(comparison: Comparison) -> tuple[Sentence, ...]:
    """Return what stops a deployment, then what can lose data, money or the way back: the worst first."""
    found = [
        (rank, (Quoted(stack.name), ": ", *sentence))
        for stack in comparison.stacks
        for rank, sentence in _red_lines(stack)
    ]
    return tuple(sentence for _, sentence in sorted(found, key=lambda each: each[0]))


def change_words(change: ResourceChange) -> str:
    """Return what the engine does with a resource, such as `replaced, the old one first; protected`."""
    words = _DONE[change.operation]
    if change.operation is Operation.REPLACE and change.deletes_first:
        words += ", the old one first"
    marks = (
        (change.is_refused, "refused"),
        (change.is_protected, "protected"),
        (change.is_stateful, "holds data"),
    )
    return "; ".join((words, *(mark for is_marked, mark in marks if is_marked)))


def quoted(text: str) -> Quoted:
    """Return the text on one line: a message of several lines keeps its words."""
    return Quoted(" ".join(text.split()))


def listed(names: Sequence[str], most: int) -> Sentence:
    """Return at most so many names as a list, and how many more there are."""
    words: list[str | Quoted] = []
    for name in names[:most]:
        words += [", " if words else "", quoted(name)]
    more = len(names) - most
    return (*words, f" and {more} more") if more > 0 else tuple(words)


def _parts(stack: StackComparison) -> Iterator[str]:
    if stack.standing is Standing.NEW:
        yield "a new stack"
    counts = Counter(each.operation for each in stack.resources)
    for operation, word in _DONE.items():
        if counts[operation]:
            yield f"{counts[operation]} {word}"
    marks = (
        (sum(each.is_protected for each in stack.resources), "of these protected"),
        (sum(each.is_stateful and each.ends for each in stack.resources), "of these with data that goes"),
        (sum(each.is_refused for each in stack.resources), "refused"),
    )
    yield from (f"{count} {words}" for count, words in marks if count)
    if reasons := len(stack.update.refused):
        yield f"{in_words(reasons, 'reason')} why the program ends before it changes anything"
    if stack.findings.stopping:
        yield in_words(len(stack.findings.stopping), "mandatory finding")
    if stack.update.interruption is not None or stack.ends_serving:
        yield "serving is interrupted"
    if stack.opened:
        yield f"{len(stack.opened)} more once its Capacity Block is open"
    if stack.secrets:
        yield f"{in_words(len(stack.secrets), 'secret')} changed"
    if not (stack.resources or stack.opened or stack.secrets) and stack.verdict is ComparisonVerdict.CHANGES:
        yield "no resource changes, but findings, waivers or capacity do"


def _red_lines(stack: StackComparison | UncomparedStack) -> Iterator[tuple[int, Sentence]]:
    if isinstance(stack, UncomparedStack):
        for side, reason in stack.unread.items():
            yield 0, (f"the {side} side could not be read: ", quoted(reason))
        return
    if stack.standing is Standing.REMOVED:
        yield 2, (verdict_line(stack),)
    for text in stack.update.refused:
        yield 0, ("the program refuses: ", quoted(text))
    for finding in stack.findings.stopping:
        said = quoted(f"{finding.subject} {finding.message}")
        yield 0, ("a rule refuses: ", quoted(finding.rule), ": ", said)
    for change in stack.resources:
        rank, words = _urgent_words(change)
        if rank is not None:
            yield rank, (f"{words}: ", Quoted(change.goes or change.title), *_because(change))


def _because(change: ResourceChange) -> Sentence:
    if change.reasons:
        return (" because ", quoted(change.reasons[0]))
    marked = [dotted(each.path) for each in change.fields if each.effect in {Effect.REPLACES, Effect.REFUSED}]
    return (" for ", *listed(marked, 1)) if marked else ()


def _urgent_words(change: ResourceChange) -> tuple[int | None, str]:
    """Return how early to say it, None for what can be undone, and what it is."""
    words, is_lasting = change_words(change), change.ends or change.operation is Operation.FORGET
    # The old one goes once nobody reads it, which is what a hash in a name is for.
    is_new_copy = change.renamed_from is not None and not change.is_stateful and not change.is_protected
    rank = 4 if is_lasting and not is_new_copy else None
    if is_lasting and change.is_protected:
        rank = 3
    if change.is_stateful and change.ends:
        rank = 2
    if change.type.startswith(_PROVIDER) and is_lasting:
        rank, words = 1, f"provider {_DONE[change.operation]}, and with it everything that it made"
    if change.type.endswith(_BLOCK) and change.operation in {Operation.CREATE, Operation.REPLACE}:
        rank, words = 1, "buys a Capacity Block"
    return 0 if change.is_refused else rank, words
