"""How results are printed: for a person at a terminal, or for a file or a pipe."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import typer
from pydantic import BaseModel
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from cli.documents.envelope import VERSIONS, Command, schema_name
from resource_graph.printable import printable

_Result = TypeVar("_Result", bound=BaseModel)

Row = tuple[str, str]
"""Label and text, in a table of sections."""
WIDTH_WITHOUT_TERMINAL = 160
_GAP = 2
_PROSE = 16
"""Words of the last column that are longer than this may be broken."""


def print_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    widest: Mapping[str, int] | None = None,
    width: int | None = None,
) -> None:
    """Print a table; where its words need more room than there is, each row becomes lines of its own.

    Only words of the last column, which is prose, may be broken. `widest` is of columns, by their headers;
    `width` that of the table where there is no terminal.
    """
    listed, console = [*rows], _console(width)
    limits = [(widest or {}).get(header, console.width) for header in headers]
    columns = [printable("\n".join(cells)) for cells in zip(headers, *listed, strict=True)]
    words = [_longest(text.split(), limit) for text, limit in zip(columns, limits, strict=True)]
    words[-1] = min(words[-1], _PROSE)
    room = console.width - _GAP * (len(headers) - 1)
    if sum(words) > room:
        for at, row in enumerate(listed):
            if at:
                say()
            print_sections(zip(headers, row, strict=True), width, "bold")
        return
    widths = [_longest(text.splitlines(), limit) for text, limit in zip(columns, limits, strict=True)]
    while sum(widths) > room:
        # The widest gives way first, as in Rich, which would break its words.
        loose = [each for each in range(len(widths)) if widths[each] > words[each]]
        widths[max(loose, key=widths.__getitem__)] -= 1
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for header, wide in zip(headers[:-1], widths[:-1], strict=True):
        table.add_column(printable(header), overflow="fold", width=wide)
    table.add_column(printable(headers[-1]), overflow="fold")
    _print_rows(table, listed, console)


def _longest(texts: Sequence[str], limit: int) -> int:
    return min(max(map(cell_len, texts), default=0), limit)


def print_answers(
    headers: Sequence[str], rows: Iterable[Sequence[str]], helps: Iterable[Row], closing: Iterable[str]
) -> None:
    """Print a table of answers; then what `helps` each that is wrong, if anything; then the rest."""
    print_table(headers, rows)
    fixes = [f"fix {asked}: {fix}" for asked, fix in helps if fix]
    for text in ("", *fixes, *([""] if fixes else []), *closing):
        say(text)


def print_sections(rows: Iterable[Row], width: int | None = None, label: str = "") -> None:
    """Print rows of a name, in the style `label`, and what is to be said of it."""
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_column(overflow="fold", style=label)
    table.add_column(overflow="fold")
    _print_rows(table, rows, _console(width))


def first_of(texts: Sequence[str], most: int) -> list[str]:
    """Return at most so many texts, and how many more there are."""
    more = len(texts) - most
    return [*texts[:most], f"and {more} more"] if more > 0 else list(texts)


def labelled(label: str, texts: Iterable[str]) -> Iterator[Row]:
    """Return the rows of one section, of which the first has the label."""
    for index, text in enumerate(texts):
        yield ("" if index else label), text


def say(text: str = "", *, error: bool = False) -> None:
    """Print at once: what another process prints next must come after it, also in a file."""
    print(printable(text), file=sys.stderr if error else sys.stdout, flush=True)


def print_document(command: Command, result: BaseModel) -> None:
    """Print a command's JSON document: its name and version, then the result (docs/command-output.md)."""
    content = result.model_dump(mode="json", by_alias=True)
    print_json({"schema": schema_name(command), "version": VERSIONS[command], **content})


def print_result(
    command: Command, result: _Result, print_text: Callable[[_Result], None], *, as_json: bool, code: int = 0
) -> None:
    """Print what a command found, for a program its JSON document, for a person text, and exit by the code.

    With code 0 the command goes on.
    """
    if as_json:
        print_document(command, result)
    else:
        print_text(result)
    if code:
        raise typer.Exit(code)


def print_json(data: object) -> None:
    """Print for a program; of the control characters, JSON itself leaves only DEL as it is."""
    typer.echo(json.dumps(data, indent=2).replace("\x7f", r"\u007f"))


def _console(width: int | None) -> Console:
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = width or WIDTH_WITHOUT_TERMINAL
    return console


def _print_rows(table: Table, rows: Iterable[Sequence[str]], console: Console) -> None:
    for row in rows:
        table.add_row(*map(printable, row))
    with console.capture() as captured:
        console.print(table)
    # Without the blanks that fill the last column: they would fill every file and diff too.
    for line in captured.get().splitlines():
        # Not through the console again, which would escape its own colours.
        print(line.rstrip(), file=console.file)
