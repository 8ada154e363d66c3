"""`dynamo-stack explain`: one screen with what a stack becomes, and why."""

from collections.abc import Iterable, Iterator

from cli.explain_document import explain_document
from cli.output import Row, labelled, make_console, print_document, print_line, print_sections, print_table
from cli.price_age import today
from explain.explanation.cluster import foundation
from explain.explanation.section import Section
from explain.explanation.sections import sections
from explain.explanation.tables import POOL_HEADERS, SERVICE_HEADERS, pool_rows, service_rows
from operations.project import recorded_stack, resolved_stack

_WIDTH = 120


def explain(name: str, *, as_json: bool) -> None:
    """Print what the stack becomes, and why."""
    stack = resolved_stack(name)
    graph = recorded_stack(stack)
    if as_json:
        print_document("explain", explain_document(stack, graph).as_json())
        return
    console = make_console(_WIDTH)
    day = today()
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
