"""The fields of a changed resource, line by line."""

from __future__ import annotations

from comparison.changes import Change, Effect, FieldChange, Operation, dotted
from comparison.field_lines import resource_lines
from resource_graph import UNKNOWN
from tests.comparison.made_up import changed


def lines(**values: object) -> tuple[str, ...]:
    field = FieldChange(**{"path": ("data", "key"), "change": Change.CHANGED} | values)  # type: ignore[arg-type]
    return resource_lines(changed("ConfigMap a/b", Operation.UPDATE, field))


def test_a_path_is_written_as_people_write_it() -> None:
    assert dotted(("spec", "services", 0, "nvidia.com/gpu")) == 'spec.services[0]["nvidia.com/gpu"]'


def test_a_changed_value_stands_below_its_field_and_what_it_does() -> None:
    assert lines(before=2, after=4, effect=Effect.ROLLS_PODS) == ("@@ data.key (rolls pods) @@", "- 2", "+ 4")


def test_an_added_field_has_no_value_of_before() -> None:
    assert lines(change=Change.ADDED, after=["a"]) == ("@@ data.key @@", '+ ["a"]')


def test_of_a_long_text_only_what_differs_is_shown() -> None:
    before = "\n".join(map(str, range(50)))
    shown = lines(before=before, after=before.replace("25", "x"))
    assert shown == ("@@ data.key @@", "@@ -24,5 +24,5 @@", " 23", " 24", "-25", "+x", " 26", " 27")


def test_a_text_of_many_thousand_lines_is_shown_whole_rather_than_compared_for_minutes() -> None:
    before, after = ("\n".join(f"{side}{number}" for number in range(20_000)) for side in "ab")
    assert len(lines(before=before, after=after)) == 40_001


def test_a_secret_shows_that_it_changed_and_nothing_else() -> None:
    shown = lines(before="hf_before", after="hf_after", is_secret=True)
    assert shown == ("@@ data.key @@", "! changed: a secret, which is not shown")


def test_what_only_the_update_knows_is_said_to_be_so() -> None:
    assert lines(change=Change.ADDED, after=UNKNOWN)[1] == "+ (known after the update)"


def test_control_characters_are_escaped() -> None:
    shown = lines(before="a\x1b[2J", after="b\u202e\nc")
    assert shown == ("@@ data.key @@", "- a\\x1b[2J", "+ b\\u202e", "+ c")


def test_a_new_name_and_the_reasons_come_first() -> None:
    found = changed(
        "ConfigMap a/b-2", Operation.UPDATE, renamed_from="b-1", reasons=("It is read at start.",)
    )
    assert resource_lines(found) == ("# It is read at start.", "# was named b-1")
