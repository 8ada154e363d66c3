"""`dynamo-stack preview`: the engine's own preview of a stack, with its policy pack."""

import json
from collections import Counter
from collections.abc import Iterator

import typer

from cli.output import make_console, print_document, print_line, say
from cli.stack_argument import AsJson, StackArgument
from comparison.changes import FieldChange, Operation, ResourceChange
from operations.drift.property_paths import shown_path
from operations.engine_preview.preview import EnginePreview, preview_stack
from operations.errors import CommandError
from resource_graph import UNKNOWN, Value
from resource_graph.input_text import InputError
from stacks.errors import SettingsError

_CHANGES, _STOPS, _NOT_LOOKED = 1, 2, 3
"""Exit codes, those of `diff`; a pipeline tells a refusal from a preview that never ran."""
_LATER = "[known only after the update]"
_LONGEST_VALUE = 80


def preview(stack: StackArgument, *, as_json: AsJson = False) -> None:
    """Print what the next `pulumi up` does; exit 1 for changes, 2 where it would be refused."""
    try:
        found = preview_stack(stack)
    except (CommandError, SettingsError, InputError) as error:
        say(str(error), error=True)
        raise typer.Exit(_NOT_LOOKED) from None
    if as_json:
        print_document("preview", found.as_json())
    else:
        _print(found)
    if found.stops:
        raise typer.Exit(_STOPS)
    if found.changes:
        raise typer.Exit(_CHANGES)


def _print(found: EnginePreview) -> None:
    console = make_console()
    for line in _lines(found):
        print_line(console, line)


def _lines(found: EnginePreview) -> Iterator[str]:
    counts = Counter(change.operation for change in found.changes)
    shown = [f"{counts[operation]} to {operation.value}" for operation in Operation if counts[operation]]
    yield f"{found.stack}: {', '.join(shown) or 'nothing changes'}"
    yield from (f"  refused: {line}" for text in found.refused for line in text.splitlines())
    for finding in found.findings:
        yield f"  {finding.severity} finding: {finding.rule} on {finding.resource}"
        yield from (f"    {line}" for line in finding.message.splitlines())
    yield from (f"  {line}" for notice in found.notices for line in notice.text.splitlines())
    # What is lost, and what makes something anew, comes before what changes in place.
    for change in sorted(found.changes, key=_rank):
        yield f"  {change.title}: {_done(change)}"
        yield from (f"    {reason}" for reason in change.reasons)
        yield from (f"    {_field_line(field)}" for field in change.fields)


def _rank(change: ResourceChange) -> tuple[bool, bool, bool]:
    destroys = change.operation in {Operation.REPLACE, Operation.DELETE}
    return not change.is_refused, not (destroys and change.is_stateful), not destroys


def _done(change: ResourceChange) -> str:
    words = [change.operation.value]
    if change.deletes_first:
        words.append("the old one goes first")
    if change.is_protected and change.operation in {Operation.REPLACE, Operation.DELETE}:
        words.append("refused: it is protected")
    return ", ".join(words)


def _field_line(field: FieldChange) -> str:
    before, after = (_short(_shown(value)) for value in (field.before, field.after))
    if field.is_secret:
        return f"{shown_path(field.path)}: {field.change.value}, a secret"
    return f"{shown_path(field.path)}: {before} -> {after}"


def _shown(value: Value) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return _LATER if value is UNKNOWN else json.dumps(value, sort_keys=True, default=lambda _: _LATER)


def _short(value: str | None) -> str:
    if value is None:
        return "not set"
    text = " ".join(value.split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
