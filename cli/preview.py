"""`dynamo-stack preview`: the engine's own preview of a stack, with its policy pack."""

from collections import Counter
from collections.abc import Iterator

import typer

from cli.diff import print_changes
from cli.exit_codes import CHANGED, STOPPED
from cli.output import make_console, print_line, print_result
from cli.stack_argument import AsJson, StackArgument
from comparison.changes import Operation
from comparison.resources import urgency
from operations.engine_preview.preview import EnginePreview, preview_stack


def preview(stack: StackArgument, *, as_json: AsJson = False) -> None:
    """Print what the next `pulumi up` does; exit 1 for changes, 2 where it would be refused."""
    found = preview_stack(stack)
    print_result("preview", found, _print, as_json=as_json)
    if found.stops:
        raise typer.Exit(STOPPED)
    if found.changes:
        raise typer.Exit(CHANGED)


def _print(found: EnginePreview) -> None:
    console = make_console()
    for line in _lines(found):
        print_line(console, line)
    # What is lost, and what makes something anew, comes before what changes in place.
    print_changes(console, sorted(found.changes, key=urgency))


def _lines(found: EnginePreview) -> Iterator[str]:
    counts = Counter(change.operation for change in found.changes)
    shown = [f"{counts[operation]} to {operation.value}" for operation in Operation if counts[operation]]
    yield f"{found.stack}: {', '.join(shown) or 'nothing changes'}"
    yield from (f"  refused: {line}" for text in found.refused for line in text.splitlines())
    for finding in found.findings:
        yield f"  {finding.severity} finding: {finding.rule} on {finding.resource}"
        yield from (f"    {line}" for line in finding.message.splitlines())
    yield from (f"  {line}" for notice in found.notices for line in notice.text.splitlines())
