"""How results are printed: for a person at a terminal, or for a file or a pipe."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.documents.envelope import VERSIONS, Command, schema_name
from resource_graph.printable import printable

_Result = TypeVar("_Result", bound=BaseModel)

Row = tuple[str, str]
"""Label and text, in a table of sections."""
_WIDTH_WITHOUT_TERMINAL = 160


class _PrintableConsole(Console):
    """Lays out and prints every text, those of table cells too, with its control characters escaped."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text), **options)


def make_console(width_without_terminal: int = _WIDTH_WITHOUT_TERMINAL) -> Console:
    """A console on stdout; without a terminal it has no colour and a fixed width."""
    console = _PrintableConsole(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = width_without_terminal
    return console


def print_table(
    console: Console,
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    widest: Mapping[str, int] | None = None,
) -> None:
    """Print a table whose last column takes the room that is left; `widest`: header -> width at most."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for header in headers[:-1]:
        table.add_column(header, overflow="fold", max_width=(widest or {}).get(header))
    table.add_column(headers[-1], ratio=1, overflow="fold")
    _print_rows(console, table, rows)


def print_answers(
    headers: Sequence[str], rows: Iterable[Sequence[str]], fixes: Sequence[str], closing: Iterable[str]
) -> None:
    """Print a table of answers; then what to type, which its columns would break; then the rest."""
    console = make_console()
    print_table(console, headers, rows)
    print_line(console)
    for text in (*fixes, *([""] if fixes else []), *closing):
        print_line(console, text)


def print_sections(console: Console, rows: Iterable[Row]) -> None:
    """Print rows of a name and what is to be said of it."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(ratio=1, overflow="fold")
    _print_rows(console, table, rows)


def first_of(texts: Sequence[str], most: int) -> list[str]:
    """Return at most so many texts, and how many more there are."""
    more = len(texts) - most
    return [*texts[:most], f"and {more} more"] if more > 0 else list(texts)


def labelled(label: str, texts: Iterable[str]) -> Iterator[Row]:
    """Return the rows of one section, of which the first has the label."""
    for index, text in enumerate(texts):
        yield ("" if index else label), text


def say(text: str, *, error: bool = False) -> None:
    """Print at once: what another process prints next must come after it, also in a file."""
    print(printable(text), file=sys.stderr if error else sys.stdout, flush=True)


def print_document(command: Command, result: BaseModel) -> None:
    """Print a command's JSON document: its name and version, then the result (docs/command-output.md)."""
    content = result.model_dump(mode="json", by_alias=True)
    print_json({"schema": schema_name(command), "version": VERSIONS[command], **content})


def print_result(
    command: Command, result: _Result, print_text: Callable[[_Result], None], *, as_json: bool
) -> None:
    """Print what a command found: for a program its JSON document, for a person text."""
    if as_json:
        print_document(command, result)
    else:
        print_text(result)


def print_json(data: object) -> None:
    """Print for a program; of the control characters, JSON itself leaves only DEL as it is."""
    typer.echo(json.dumps(data, indent=2).replace("\x7f", r"\u007f"))


def print_line(console: Console, text: str = "") -> None:
    """Print without breaking lines: a terminal does that itself, and a file should be searchable."""
    console.print(text, soft_wrap=True)


def _print_rows(console: Console, table: Table, rows: Iterable[Sequence[str]]) -> None:
    for row in rows:
        table.add_row(*row)
    with console.capture() as captured:
        console.print(table)
    # Without the blanks that fill the last column: they would fill every file and diff too.
    for line in captured.get().splitlines():
        # Not through the console again, which would escape its own colours.
        print(line.rstrip(), file=console.file)
