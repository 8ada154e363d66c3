"""Sections that do not fit are left out as a whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from comparison.markdown import Rank, Section, fitted

_SECTIONS = st.lists(
    st.builds(
        Section,
        st.sampled_from("ab"),
        st.sampled_from(Rank),
        st.integers(1, 400).map(lambda size: "é" * size),
    )
)


@given(_SECTIONS, st.integers(0, 300))
def test_nothing_is_left_out_that_fits_to_the_byte(sections: list[Section], more: int) -> None:
    whole = fitted("first", sections, 10**9)
    assert fitted("first", sections, len(whole.encode()) + more) == whole


def test_objects_go_before_facts_and_the_biggest_of_them_first() -> None:
    sections = [
        Section("a", Rank.OBJECT, "small"),
        Section("a", Rank.OBJECT, "big" * 200),
        Section("b", Rank.URGENT_OBJECT, "urgent" * 50),
        Section("b", Rank.FACTS, "facts" * 100),
    ]
    text = fitted("first", sections, 1300)
    assert "small" in text
    assert "big" not in text
    assert "1 more object of 1 stack is in the artifact" in text
    text = fitted("first", sections, 820)
    assert "facts" in text
    assert "3 more objects of 2 stacks are in the artifact" in text
    alone = fitted("first", [Section("b", Rank.FACTS, "facts" * 500)], 820)
    assert alone.rstrip().endswith("**1 more section is in the artifact: there was no room here.**")
