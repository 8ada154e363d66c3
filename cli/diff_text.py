"""A comparison for a person at a terminal."""

from collections.abc import Iterator

from rich.console import Console

from cli.output import Row, labelled, print_line, print_sections
from comparison.facts import facts_of
from comparison.field_lines import resource_lines
from comparison.recording import Side
from comparison.stack_comparison import Comparison, StackComparison, UncomparedStack, Verdict
from comparison.verdict_lines import Quoted, Sentence, change_words, headline, red_lines, verdict_line
from resource_graph.printable import one_line

_SHORT_COMMIT = 12


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print the verdicts, what to read first, then each stack that changes."""
    print_line(console, f"{headline(comparison)}: {_named(comparison.base)} -> {_named(comparison.head)}")
    print_line(console, "What is on the older side counts as deployed; no cluster and no account was asked.")
    for sentence in red_lines(comparison):
        print_line(console, f"! {_plain(sentence)}")
    if comparison.changed_code:
        files = ", ".join(map(one_line, comparison.changed_code[:3]))
        print_line(console, f"The newer side's own code made its recording: it changes {files}.")
    for note in comparison.notes:
        print_line(console, f"Note: {one_line(note)}")
    for stack in comparison.stacks:
        if stack.verdict is not Verdict.NO_CHANGES:
            _print_stack(console, stack)


def _print_stack(console: Console, stack: StackComparison | UncomparedStack) -> None:
    print_line(console)
    print_line(console, f"{one_line(stack.name)}: {verdict_line(stack)}")
    print_sections(console, _facts(stack))
    if isinstance(stack, UncomparedStack):
        return
    for when, changes in (("", stack.resources), ("once open, ", stack.opened)):
        for change in changes:
            print_line(console)
            print_line(console, f"{when}{change_words(change)}: {one_line(change.title)}")
            for line in resource_lines(change):
                print_line(console, f"  {line}")


def _facts(stack: StackComparison | UncomparedStack) -> Iterator[Row]:
    for fact in facts_of(stack):
        yield from labelled(f"  {fact.label}", map(_plain, fact.sentences))


def _plain(sentence: Sentence) -> str:
    return "".join(one_line(each.text) if isinstance(each, Quoted) else each for each in sentence)


def _named(side: Side) -> str:
    label = one_line(side.label)
    return label if side.commit is None else f"{label} ({side.commit[:_SHORT_COMMIT]})"
