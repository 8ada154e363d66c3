"""The page in Chromium: what it asks for, what a telephone, the keyboard, a screen reader and paper get.

Each run leaves pictures in .bench/screenshots for a person to look at.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.explain.devtools import browser_tab
from tests.explain.pages import STACKS, shipped_html
from tests.explain.screenshots import FOLDER, VIEWS, View, open_page
from tests.support.browser import install_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping
    from pathlib import Path

    from tests.explain.devtools import Tab

    InTab = Callable[[Callable[[Tab], Coroutine[Any, Any, Any]]], Any]

pytestmark = pytest.mark.browser

PHONE = next(view for view in VIEWS if view.name == "phone")
PAPER = next(view for view in VIEWS if view.name == "print")
LIGHT, DARK = VIEWS[:2]
# Two trays, two pools, one pod with both roles, a server without Dynamo.
PICTURED = ("disagg-gb200-two-trays", "dev", "disagg-b200-8gpu", "throughput-h200")
# Its findings are undecided, so that they are folded.
FOLDED = "throughput-h200"


@pytest.fixture(scope="module")
def browser() -> Path:
    return install_missing(print)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name in STACKS:
        (folder / f"{name}.html").write_text(shipped_html(name), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in STACKS}


@pytest.fixture(scope="module")
def in_tab(browser: Path) -> Iterator[InTab]:
    """Do something in the one tab of these tests, and return what came out."""
    with asyncio.Runner() as runner:
        opening = browser_tab(browser)
        tab = runner.run(opening.__aenter__())
        try:
            yield lambda action: runner.run(action(tab))
        finally:
            runner.run(opening.__aexit__(None, None, None))


def test_no_page_is_wider_than_a_telephone_and_none_asks_anybody_for_anything(
    in_tab: InTab, pages: Mapping[str, Path]
) -> None:
    async def look(tab: Tab) -> dict[str, Any]:
        widths: dict[str, Any] = {}
        before = len(tab.requests)
        for name, file in pages.items():
            await open_page(tab, file, PHONE)
            widths[name] = await tab.evaluate("document.documentElement.scrollWidth")
        return {"widths": widths, "requests": tab.requests[before:]}

    seen = in_tab(look)
    assert set(seen["widths"].values()) == {PHONE.width}
    assert seen["requests"] == [file.as_uri() for file in pages.values()]


def test_pictures_are_there_to_be_looked_at(in_tab: InTab, pages: Mapping[str, Path]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)

    async def shoot(tab: Tab) -> None:
        for name in PICTURED:
            for view in VIEWS:
                await open_page(tab, pages[name], view)
                await tab.picture(FOLDER / f"{name}-{view.name}.png")

    in_tab(shoot)
    sizes = {file.name: file.stat().st_size for file in FOLDER.glob("*.png")}
    assert {f"{name}-{view.name}.png" for name in PICTURED for view in VIEWS} <= sizes.keys()
    assert min(sizes.values()) > 10_000


def test_the_dark_page_is_dark_and_the_printed_one_is_white(in_tab: InTab, pages: Mapping[str, Path]) -> None:
    async def colours(tab: Tab) -> list[str]:
        found: list[str] = []
        for view in (LIGHT, DARK, PAPER):
            await open_page(tab, pages["disagg-gb200-two-trays"], view)
            found.append(await tab.evaluate("getComputedStyle(document.body).backgroundColor"))
        return found

    assert in_tab(colours) == ["rgb(255, 255, 255)", "rgb(20, 23, 27)", "rgb(255, 255, 255)"]


def test_the_keyboard_skips_to_the_report_reaches_tables_and_folds_findings(
    in_tab: InTab, pages: Mapping[str, Path]
) -> None:
    async def walk(tab: Tab) -> dict[str, Any]:
        await open_page(tab, pages["disagg-gb200-two-trays"], LIGHT)
        await tab.press("Tab")
        first = await tab.evaluate("document.activeElement.textContent")
        outline = await tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        await tab.press("Enter")
        target = await tab.evaluate("document.activeElement.id")
        reached: list[str] = []
        while await tab.evaluate("document.activeElement.tagName") != "BODY" and len(reached) < 20:
            await tab.press("Tab")
            reached.append(await tab.evaluate("document.activeElement.tagName"))
            if reached[-1] == "SUMMARY":
                await tab.press("Enter")
        is_open = await tab.evaluate("document.querySelector('details').open")
        return {"first": first, "outline": outline, "target": target, "reached": reached, "open": is_open}

    seen = in_tab(walk)
    assert (seen["first"], seen["outline"]) == ("Skip to the report", "solid")
    assert seen["target"] == "main"
    assert seen["reached"].count("DIV") == 3
    assert "SUMMARY" in seen["reached"]
    assert seen["open"] is False


def test_a_screen_reader_hears_landmarks_and_what_each_drawing_shows(
    in_tab: InTab, pages: Mapping[str, Path]
) -> None:
    async def listen(tab: Tab) -> list[dict[str, Any]]:
        await open_page(tab, pages["disagg-gb200-two-trays"], LIGHT)
        return (await tab.send("Accessibility.getFullAXTree"))["nodes"]

    nodes = [node for node in in_tab(listen) if not node["ignored"]]
    heard = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes}
    roles = [role for role, _ in heard]
    assert {"banner", "navigation", "main", "contentinfo", "table", "columnheader", "rowheader"} <= set(roles)
    assert (
        "image",
        "Nodes of pool gb200. Node 1: 1 pod of TrtllmDecodeWorker (decode on 4 GPUs). "
        "Node 2: 1 pod of TrtllmPrefillWorker (prefill on 1 GPU) and 3 GPUs idle.",
    ) in heard
    assert not [node for node in nodes if node["role"]["value"] == "image" and not node["name"]["value"]]


def test_paper_shows_findings_that_the_screen_folds(in_tab: InTab, pages: Mapping[str, Path]) -> None:
    async def look(tab: Tab) -> list[bool]:
        seen: list[bool] = []
        for view in (LIGHT, PAPER):
            await open_page(tab, pages[FOLDED], view)
            seen.append(await tab.evaluate("document.querySelector('details p').checkVisibility()"))
        return seen

    assert in_tab(look) == [False, True]


def test_a_long_name_without_a_blank_widens_no_page(in_tab: InTab, tmp_path: Path) -> None:
    file = tmp_path / "long.html"
    file.write_text(
        shipped_html("disagg-gb200-two-trays").replace("disagg-gb200-two-trays", "x" * 200), encoding="utf-8"
    )

    async def width(tab: Tab) -> int:
        await open_page(tab, file, View("phone", 360))
        return await tab.evaluate("document.documentElement.scrollWidth")

    assert in_tab(width) == 360
