"""Hostile text in a comment is nothing but text."""

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from comparison.markdown import code_element, code_span, fence
from resource_graph.printable import one_line, printable
from tests.comparison.markdown.github import outside_code

HOSTILE = st.text(alphabet=st.sampled_from("`@#<>&\n\r\\[]()!~ a\u202e\x1b"), max_size=40) | st.text()


@given(HOSTILE)
def test_a_code_span_holds_all_of_its_text(text: str) -> None:
    span = code_span(text, 10_000)
    line = one_line(text).strip()
    if not line:
        assert span == "(empty)"
        return
    found = re.fullmatch(r"(`+)(.*?)\1", span)
    assert found is not None
    assert found[1] not in re.findall("`+", found[2])
    assert found[2].strip() == line
    assert outside_code(span) == ""


def test_a_text_that_is_too_long_says_how_much_is_left_out() -> None:
    assert code_span("a" * 100, 20) == "`aaaaaaaaaaaaaaaaaaaa (... 80 bytes more)`"


@given(HOSTILE)
def test_an_element_holds_no_markup(text: str) -> None:
    found = re.fullmatch(r"<code>([^<>]*)</code>", code_element(text))
    assert found is not None
    assert "\n" not in found[1]
    if len(one_line(text)) < 200:
        assert html.unescape(found[1]) == one_line(text).strip()


@given(st.lists(HOSTILE.map(printable) | st.sampled_from(["```", "````", "`" * 9, "```diff"]), min_size=1))
def test_no_line_closes_its_fence(lines: list[str]) -> None:
    assert outside_code(fence(lines, "diff")) == ""
