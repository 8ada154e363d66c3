"""`dynamo-stack preview`: the engine's own preview of a stack, with its policy pack."""

from collections import Counter
from collections.abc import Iterator

from cli.diff import print_changes
from cli.exit_codes import CHANGED, STOPPED
from cli.output import print_result, say
from cli.stack_argument import AsJson, StackArgument
from comparison.changes import Operation
from comparison.resources import urgency
from operations.engine_preview.preview import EnginePreview, preview_stack


def preview(stack: StackArgument, *, as_json: AsJson = False) -> None:
    """Print what the next `pulumi up` does; exit 1 for changes, 2 where it would be refused."""
    found = preview_stack(stack)
    code = STOPPED if found.stops else CHANGED if found.changes else 0
    print_result("preview", found, _print, as_json=as_json, code=code)


def _print(found: EnginePreview) -> None:
    for line in _lines(found):
        say(line)
    # What is lost, and what makes something anew, comes before what changes in place.
    print_changes(sorted(found.changes, key=urgency))


def _lines(found: EnginePreview) -> Iterator[str]:
    counts = Counter(change.operation for change in found.changes)
    shown = [f"{counts[operation]} to {operation.value}" for operation in Operation if counts[operation]]
    yield f"{found.stack}: {', '.join(shown) or 'nothing changes'}"
    yield from (f"  refused: {line}" for text in found.refused for line in text.splitlines())
    for finding in found.findings:
        yield f"  {finding.severity} finding: {finding.rule} on {finding.resource}"
        yield from (f"    {line}" for line in finding.message.splitlines())
    yield from (f"  {line}" for notice in found.notices for line in notice.text.splitlines())
