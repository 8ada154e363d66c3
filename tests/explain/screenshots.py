"""Make the picture of docs/report.md anew, after a change that is meant:

.venv/bin/python -m tests.explain.screenshots
"""

import asyncio
import tempfile
from pathlib import Path

from lab.directory import REPOSITORY
from tests.explain.devtools import browser_tab
from tests.explain.pages import shipped_html
from tests.support.browser import install_missing

DOCUMENTED = "disagg-gb200-two-trays"
PICTURE = REPOSITORY / "docs" / "images" / f"report-{DOCUMENTED}.png"


async def _first_screen(file: Path) -> None:
    async with browser_tab(install_missing(print)) as tab:
        await tab.open_page(file, height=1080)
        await tab.picture(PICTURE)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(shipped_html(DOCUMENTED), encoding="utf-8")
        asyncio.run(_first_screen(page))
