"""`dynamo-stack diff`: what lies between two revisions of the stacks."""

from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli.exit_codes import CHANGED, NOT_COMPARED, STOPPED
from cli.output import Row, labelled, print_document, print_sections, say
from cli.own_files import writing
from cli.stack_argument import stack_name
from comparison.changes import ResourceChange
from comparison.facts import facts_of
from comparison.field_lines import resource_lines
from comparison.markdown import as_markdown
from comparison.recording import Side
from comparison.stack_comparison import (
    Comparison,
    ComparisonVerdict,
    StackComparison,
    UncomparedStack,
    compare_sides,
)
from comparison.verdict_lines import Quoted, Sentence, change_words, headline, red_lines, verdict_line
from operations.revisions.sides import changed_code, recorded_sides
from resource_graph.printable import one_line

_CODES = {
    ComparisonVerdict.NO_CHANGES: 0,
    ComparisonVerdict.CHANGES: CHANGED,
    ComparisonVerdict.STOPPED: STOPPED,
    ComparisonVerdict.NOT_COMPARED: NOT_COMPARED,
}


DiffFormat = Literal["text", "markdown", "json"]
"""How a comparison is written."""


def diff(
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="BASE..HEAD",
            help="Two revisions of git; BASE...HEAD from where HEAD left BASE; BASE alone against the files "
            "here; or two folders.",
        ),
    ],
    stacks: Annotated[
        list[str] | None, typer.Option("--stack", metavar="NAME", help="A stack; several are allowed.")
    ] = None,
    form: Annotated[
        DiffFormat,
        typer.Option("--format", help="For a terminal, the comment of a pull request, or programs."),
    ] = "text",
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Write it there instead; folders are made.")
    ] = None,
) -> None:
    """Print or write the comparison, and exit by its verdict."""
    if len(sides) > 2:  # noqa: PLR2004 - a comparison has two sides
        raise typer.BadParameter("give BASE..HEAD, or two folders", param_hint="BASE..HEAD")
    base, head = (*sides, None)[:2]
    older, newer = recorded_sides(str(base), head, [stack_name(each) for each in stacks or ()])
    comparison = compare_sides(older, newer, changed_code(older, newer))
    if to is None:
        _print(comparison, form)
    else:
        to.parent.mkdir(parents=True, exist_ok=True)
        with writing(to), to.open("w", encoding="utf-8") as file, redirect_stdout(file):
            _print(comparison, form)
    raise typer.Exit(_CODES[comparison.verdict])


_SHORT_COMMIT = 12


def print_comparison(comparison: Comparison) -> None:
    """Print the verdicts, what to read first, then each stack that changes."""
    say(f"{headline(comparison)}: {_named(comparison.base)} -> {_named(comparison.head)}")
    say("What is on the older side counts as deployed; no cluster and no account was asked.")
    for sentence in red_lines(comparison):
        say(f"! {_plain(sentence)}")
    if comparison.changed_code:
        files = ", ".join(map(one_line, comparison.changed_code[:3]))
        say(f"The newer side's own code made its recording: it changes {files}.")
    for note in comparison.notes:
        say(f"Note: {one_line(note)}")
    for stack in comparison.stacks:
        if stack.verdict is not ComparisonVerdict.NO_CHANGES:
            _print_stack(stack)


def print_changes(changes: Iterable[ResourceChange], when: str = "") -> None:
    """Print what becomes of each resource, why, and its fields."""
    for change in changes:
        say()
        say(f"{when}{change_words(change)}: {one_line(change.title)}")
        for line in resource_lines(change):
            say(f"  {line}")


def _print(comparison: Comparison, form: DiffFormat) -> None:
    match form:
        case "text":
            print_comparison(comparison)
        case "markdown":
            typer.echo(as_markdown(comparison), nl=False)
        case "json":
            print_document("diff", comparison)


def _print_stack(stack: StackComparison | UncomparedStack) -> None:
    say()
    say(f"{one_line(stack.name)}: {verdict_line(stack)}")
    print_sections(_facts(stack))
    if isinstance(stack, UncomparedStack):
        return
    print_changes(stack.resources)
    print_changes(stack.opened, "once open, ")


def _facts(stack: StackComparison | UncomparedStack) -> Iterator[Row]:
    for label, sentences in facts_of(stack).items():
        yield from labelled(f"  {label}", map(_plain, sentences))


def _plain(sentence: Sentence) -> str:
    return "".join(one_line(each.text) if isinstance(each, Quoted) else each for each in sentence)


def _named(side: Side) -> str:
    label = one_line(side.label)
    return label if side.commit is None else f"{label} ({side.commit[:_SHORT_COMMIT]})"
