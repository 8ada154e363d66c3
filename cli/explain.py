"""`dynamo-stack explain`: what a stack becomes, and why."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from cli.documents.explained import explain_document
from cli.output import Row, labelled, make_console, print_document, print_line, print_sections, print_table
from cli.price_age import today
from cli.stack_argument import AsJson, StackArgument
from explain.explanation.cluster import foundation
from explain.explanation.section import Section
from explain.explanation.sections import sections
from explain.explanation.tables import POOL_HEADERS, SERVICE_HEADERS, pool_rows, service_rows
from explain.short import short_sections, title
from operations.project import recorded_stack, resolved_stack
from stacks.plan.stack_plan import StackPlan

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
    if as_json:
        print_document("explain", explain_document(plan, recorded_stack(plan)).as_json())
    elif in_full:
        _print_all(plan)
    else:
        console = make_console(_WIDTH)
        print_line(console, title(plan))
        print_sections(console, _rows(short_sections(plan, today())))
        print_line(console, f"why, order, retained objects, defects: dynamo-stack explain {stack} --all")


def _print_all(stack: StackPlan) -> None:
    graph, day = recorded_stack(stack), today()
    console = make_console(_WIDTH_OF_ALL)
    print_sections(console, (*_rows(foundation(stack, day)), ("", "")))
    if stack.layers.own != ("platform",):
        print_table(console, POOL_HEADERS, pool_rows(stack))
        print_line(console)
    if stack.layers.owns("serving"):
        print_table(console, SERVICE_HEADERS, service_rows(stack))
        print_line(console)
    print_sections(console, _rows(sections(stack, graph, day)))


def _rows(shown: Iterable[Section]) -> Iterator[Row]:
    for section in shown:
        yield from labelled(section.title.upper(), section.texts)
