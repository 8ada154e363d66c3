"""Sections that do not fit are left out as a whole."""

from __future__ import annotations

from comparison.markdown import Rank, Section, fitted


def test_objects_go_before_facts_and_are_counted() -> None:
    sections = [
        Section(Rank.OBJECT, "small"),
        Section(Rank.OBJECT, "big" * 200),
        Section(Rank.URGENT_OBJECT, "urgent" * 50),
        Section(Rank.FACTS, "facts" * 100),
    ]
    whole = fitted("first", sections, 2000)
    assert whole == "\n\n".join(["first", *(each.text for each in sections)]) + "\n"
    text = fitted("first", sections, 1300)
    assert [word in text for word in ("small", "big", "urgent", "facts")] == [True, False, True, True]
    assert "**1 more section in the artifact: no room here.**" in text
    text = fitted("first", sections, 820)
    assert [word in text for word in ("big", "urgent", "facts")] == [False, False, True]
