"""`dynamo-stack explain`: what a stack becomes, and why."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from cli.output import Row, labelled, print_document, print_sections, print_table, say
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
        say(title(plan))
        print_sections(_rows(short_sections(plan, today())), _WIDTH)
        say(f"why, order, retained objects, defects: dynamo-stack explain {stack} --all")


def _print_all(explanation: Explanation) -> None:
    print_sections((*_rows(explanation.foundation), ("", "")), _WIDTH_OF_ALL)
    for _, headers, rows in explanation.tables:
        print_table(headers, rows, width=_WIDTH_OF_ALL)
        say()
    print_sections(_rows(explanation.sections), _WIDTH_OF_ALL)


def _rows(shown: Iterable[Section]) -> Iterator[Row]:
    for section in shown:
        yield from labelled(section.title.upper(), section.texts)
