"""`dynamo-stack explain`: what a stack becomes, and why."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from cli.output import Row, labelled, make_console, print_document, print_line, print_sections, print_table
from cli.price_age import today
from cli.stack_argument import AsJson, StackArgument
from explain.explanation.section import Section
from explain.explanation.sections import Explanation, explained
from explain.short import short_sections, title
from operations.project import recorded_stack, resolved_stack

_WIDTH = 110
_WIDTH_OF_ALL = 120


def explain(
    stack: StackArgument,
    *,
    in_full: Annotated[
        bool, typer.Option("--all", help="Everything: nodes, prices, order, defects.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print one screen of the stack, or all that is known of it."""
    plan = resolved_stack(stack)
    if as_json or in_full:
        explanation = explained(plan, recorded_stack(plan), today())
        if as_json:
            print_document("explain", explanation)
        else:
            _print_all(explanation)
    else:
        console = make_console(_WIDTH)
        print_line(console, title(plan))
        print_sections(console, _rows(short_sections(plan, today())))
        print_line(console, f"why, order, retained objects, defects: dynamo-stack explain {stack} --all")


def _print_all(explanation: Explanation) -> None:
    console = make_console(_WIDTH_OF_ALL)
    print_sections(console, (*_rows(explanation.foundation), ("", "")))
    for table in explanation.tables:
        print_table(console, table.headers, table.rows)
        print_line(console)
    print_sections(console, _rows(explanation.sections))


def _rows(shown: Iterable[Section]) -> Iterator[Row]:
    for section in shown:
        yield from labelled(section.title.upper(), section.texts)
