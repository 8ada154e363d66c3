"""Pictures of a page, for a person to look at: light, dark, on a telephone and on paper.

The picture of docs/report.md is made anew, after a change that is meant, by

    .venv/bin/python -m tests.explain.screenshots
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.directory import REPOSITORY
from tests.explain.devtools import browser_tab
from tests.explain.pages import shipped_html
from tests.support.browser import install_missing

if TYPE_CHECKING:
    from tests.explain.devtools import Tab

FOLDER = REPOSITORY / ".bench" / "screenshots"
DOCUMENTED = "disagg-gb200-two-trays"
PICTURE = REPOSITORY / "docs" / "images" / f"report-{DOCUMENTED}.png"


@dataclass(frozen=True)
class View:
    """One way of looking at a page."""

    name: str
    width: int
    """In CSS pixels."""
    dark: bool = False
    media: str = "screen"


VIEWS = (
    View("light", 1100),
    View("dark", 1100, dark=True),
    View("phone", 360),
    # A4 at 96 pixels an inch, less its margins.
    View("print", 718, media="print"),
)


async def open_page(tab: Tab, file: Path, view: View, *, height: int = 900) -> None:
    """Lay the page out in this way and load it."""
    await tab.show(view.width, height=height, dark=view.dark, media=view.media)
    await tab.go(file.as_uri())


async def _first_screen(file: Path) -> None:
    async with browser_tab(install_missing(_say)) as tab:
        await open_page(tab, file, View("docs", 1100), height=1080)
        await tab.picture(PICTURE, whole=False)


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def main() -> None:
    """Write the picture of the guide."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(shipped_html(DOCUMENTED), encoding="utf-8")
        PICTURE.parent.mkdir(exist_ok=True)
        asyncio.run(_first_screen(file))
    _say(f"{PICTURE}: {PICTURE.stat().st_size / 1000:,.0f} KB")


if __name__ == "__main__":
    main()
