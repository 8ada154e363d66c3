"""Writes the measured rows as the tables of docs/faults-under-load.md: `make faults` runs it."""

import json
import sys
from pathlib import Path

from lab.directory import REPOSITORY
from tests.serving.faults.measure import Row

PAGE = REPOSITORY / "docs" / "faults-under-load.md"
BEGIN, END = "<!-- rows: written by `make faults` -->", "<!-- end of rows -->"
_HEAD = (
    "| fault | in flight, lost | sent after, lost | served again | why | what explain or the page says |\n"
    "|---|---|---|---|---|---|"
)


def main(file: Path, page: Path = PAGE) -> None:
    """Replace the tables of the page by the rows of the file."""
    rows = [Row(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{tables(rows)}\n{END}{after}", encoding="utf-8")


def tables(rows: list[Row]) -> str:
    """One table for each layout, in the order in which they were measured; the last row of a fault holds."""
    latest = {(row.layout, row.fault): row for row in rows}
    parts: list[str] = []
    for layout in dict.fromkeys(row.layout for row in latest.values()):
        lines = [_line(row) for row in latest.values() if row.layout == layout]
        parts.append("\n".join((f"### {layout.capitalize()}\n\n{_HEAD}", *lines)) + "\n")
    return "\n".join(parts)


def _line(row: Row) -> str:
    again = f"{row.served_again:.1f} s" if row.lost else "throughout"
    page = f" ([runbook](runbook/{row.page}.md))" if row.page else ""
    cells = (
        row.fault,
        f"{row.in_flight}, {row.lost_in_flight}",
        f"{row.sent_after}, {row.lost_after}",
        again,
        row.why and f"`{row.why}`",
        f"{row.bound}{page}",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
