"""The page in Chromium: what it asks for, what a telephone, the keyboard, a screen reader and paper get."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.explain.devtools import Tab, browser_tab
from tests.explain.pages import STACKS, shipped_html
from tests.support.browser import install_missing

Run = Callable[[Coroutine[Any, Any, Any]], Any]

pytestmark = pytest.mark.browser

TRAYS = "disagg-gb200-two-trays"
# Its findings are undecided, so that they are folded.
FOLDED = "throughput-h200"
LONG = "x" * 200
PHONE = 360
# A4 at 96 pixels an inch, less its margins.
PAPER = 718


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    texts = {name: shipped_html(name) for name in STACKS}
    # A name without a blank, at which no line can be broken.
    texts[LONG] = texts[TRAYS].replace(TRAYS, LONG)
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Do something in the tab, and return what came out."""
    with asyncio.Runner() as runner:
        yield runner.run


@pytest.fixture(scope="module")
def tab(run: Run) -> Iterator[Tab]:
    opening = browser_tab(install_missing(print))
    yield run(opening.__aenter__())
    run(opening.__aexit__(None, None, None))


def test_no_page_is_wider_than_a_telephone_and_none_asks_anybody_for_anything(
    run: Run, tab: Tab, pages: Mapping[str, Path]
) -> None:
    tab.requests.clear()
    for file in pages.values():
        run(tab.open_page(file, PHONE))
        assert run(tab.evaluate("document.documentElement.scrollWidth")) == PHONE, file
    assert tab.requests == [file.as_uri() for file in pages.values()]


@pytest.mark.parametrize(
    ("look", "colour"),
    [
        ({}, "rgb(255, 255, 255)"),
        ({"dark": True}, "rgb(20, 23, 27)"),
        ({"width": PAPER, "media": "print"}, "rgb(255, 255, 255)"),
    ],
    ids=["light", "dark", "print"],
)
def test_the_dark_page_is_dark_and_the_printed_one_is_white(
    run: Run, tab: Tab, pages: Mapping[str, Path], look: dict[str, Any], colour: str
) -> None:
    run(tab.open_page(pages[TRAYS], **look))
    assert run(tab.evaluate("getComputedStyle(document.body).backgroundColor")) == colour


def test_the_keyboard_skips_to_the_report_reaches_tables_and_folds_findings(
    run: Run, tab: Tab, pages: Mapping[str, Path]
) -> None:
    run(tab.open_page(pages[TRAYS]))
    run(tab.press("Tab"))
    assert run(tab.evaluate("document.activeElement.textContent")) == "Skip to the report"
    assert run(tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")) == "solid"
    run(tab.press("Enter"))
    assert run(tab.evaluate("document.activeElement.id")) == "main"
    reached: list[str] = []
    while "BODY" not in reached and len(reached) < 20:
        run(tab.press("Tab"))
        reached.append(run(tab.evaluate("document.activeElement.tagName")))
        if reached[-1] == "SUMMARY":
            run(tab.press("Enter"))
    assert reached.count("DIV") == 2
    assert "SUMMARY" in reached
    assert run(tab.evaluate("document.querySelector('details').open")) is False


def test_a_screen_reader_hears_landmarks_and_what_each_drawing_shows(
    run: Run, tab: Tab, pages: Mapping[str, Path]
) -> None:
    run(tab.open_page(pages[TRAYS]))
    nodes = run(tab.send("Accessibility.getFullAXTree"))["nodes"]
    heard = {
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    }
    landmarks = {"banner", "navigation", "main", "contentinfo", "table", "columnheader", "rowheader"}
    assert landmarks <= {role for role, _ in heard}
    assert (
        "image",
        "Nodes of pool gb200. Node 1: 1 pod of TrtllmDecodeWorker (decode on 4 GPUs). "
        "Node 2: 1 pod of TrtllmPrefillWorker (prefill on 1 GPU) and 3 GPUs idle.",
    ) in heard
    assert ("image", "") not in heard


@pytest.mark.parametrize(("media", "is_seen"), [("screen", False), ("print", True)])
def test_paper_shows_findings_that_the_screen_folds(
    run: Run, tab: Tab, pages: Mapping[str, Path], media: str, *, is_seen: bool
) -> None:
    run(tab.open_page(pages[FOLDED], PAPER, media=media))
    assert run(tab.evaluate("document.querySelector('details p').checkVisibility()")) is is_seen
