"""The document around what is said: what browsers, screen readers and paper need of it."""

import dataclasses
import itertools
import re
from typing import Any

import pytest
from pydantic import BaseModel

from explain.page import to_html
from tests.explain.elements import Element, parsed
from tests.explain.pages import KINDS, shipped_html, shipped_page

MOST_BYTES = 400_000
HOSTILE = "\"'></title></style><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}\u202e\x1b"
# They choose a class of the style sheet, and come from this project alone.
CHOICES = {"tone", "kind", "status"}


@pytest.fixture(params=KINDS)
def document(request: pytest.FixtureRequest) -> Element:
    return parsed(shipped_html(request.param))


def hostile(value: Any) -> Any:
    """The same page with another text in every place of a text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes = {
            each.name: hostile(getattr(value, each.name))
            for each in dataclasses.fields(value)
            if each.name not in CHOICES
        }
        return dataclasses.replace(value, **changes)
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: hostile(each) for name, each in value})
    if isinstance(value, tuple):
        return tuple(hostile(item) for item in value)
    return HOSTILE if isinstance(value, str) and value else value


def test_headings_landmarks_and_ids_lead_through_the_page(document: Element) -> None:
    levels = [int(each.tag[1]) for each in document.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert (levels[0], levels.count(1)) == (1, 1)
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    [_], [nav], [main], [_] = (document.all(tag) for tag in ("header", "nav", "main", "footer"))
    assert nav.attributes["aria-label"]
    skip, *_ = document.all("a")
    assert skip.attributes["href"] == f"#{main.attributes['id']}"
    ids = [each.attributes["id"] for each in document.all() if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    named = [part for each in document.all() for part in each.attributes.get("aria-labelledby", "").split()]
    linked = [each.attributes["href"].removeprefix("#") for each in document.all("a")]
    assert {*named, *linked} <= set(ids)
    assert all(section.attributes["aria-labelledby"] for section in document.all("section"))
    drawings = [each for each in document.all() if each.attributes.get("role") == "img"]
    assert drawings
    assert all(drawing.attributes["aria-label"] for drawing in drawings)


def test_tables_name_their_rows_and_columns_and_are_reached_by_keyboard_where_they_scroll(
    document: Element,
) -> None:
    tables = list(document.all("table"))
    assert tables
    for table in tables:
        assert next(table.all("caption")).text
        assert {cell.attributes["scope"] for cell in table.all("th")} == {"col", "row"}
        assert table.parent is not None
        assert table.parent.attributes["tabindex"] == "0"
        assert table.parent.attributes["role"] == "region"
        assert table.parent.attributes["aria-label"]


def test_nothing_on_the_page_asks_a_server_or_runs(document: Element) -> None:
    policy = next(
        each.attributes["content"]
        for each in document.all("meta")
        if each.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    for each in document.all():
        assert each.tag not in {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
        assert not any(name.startswith("on") for name in each.attributes)
        addresses = [
            each.attributes[name] for name in ("src", "href", "xlink:href") if name in each.attributes
        ]
        assert all(address.startswith("#") for address in addresses)
    [style] = document.all("style")
    assert not re.search(r"url\(|@import|@font-face", style.text)


@pytest.mark.parametrize("name", KINDS)
def test_a_page_is_small_and_the_same_bytes_each_time(name: str) -> None:
    text = shipped_html(name)
    assert len(text.encode()) <= MOST_BYTES
    assert to_html(shipped_page(name)) == text


def test_hostile_texts_are_shown_and_neither_obeyed_by_the_browser_nor_by_the_templates() -> None:
    page = shipped_page("disagg-gb200-two-trays")
    text = to_html(hostile(page))
    document, honest = parsed(text), parsed(to_html(page))
    assert [each.tag for each in document.all() if each.tag != "code"] == [
        each.tag for each in honest.all() if each.tag != "code"
    ]
    assert {name for each in document.all() for name in each.attributes} == {
        name for each in honest.all() for name in each.attributes
    }
    assert "<script>alert(1)</script>" in next(document.all("h1")).text
    assert "49" not in next(document.all("h1")).text
    assert not {"\u202e", "\x1b"} & set(text)
    assert r"\u202e\x1b" in text


def test_text_between_backticks_is_code_and_a_single_backtick_stays() -> None:
    page = shipped_page("disagg-gb200-two-trays")
    text = to_html(dataclasses.replace(page, points=("type `up <now>`", "a ` alone")))
    assert "<li>type <code>up &lt;now&gt;</code></li>" in text
    assert "<li>a ` alone</li>" in text
