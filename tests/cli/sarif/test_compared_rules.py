"""What code scanning is told of the rules of a comparison, whatever a pull request calls them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from comparison.changes import Operation
from comparison.recording import RecordedUpdate, UnreadStack
from tests.cli.sarif.compared import between, of_stacks
from tests.comparison.made_up import changed, finding, recording, waiver

if TYPE_CHECKING:
    import pytest

    from tests.cli.sarif.compared import Compared

TOKEN = "hf_" + 24 * "q"


def test_a_rule_that_this_release_does_not_know_is_described_as_its_side_has_it(compared: Compared) -> None:
    [run] = compared(*of_stacks(recording(), recording(findings=(finding("a-rule-of-tomorrow"),))))
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["id"] == "a-rule-of-tomorrow"
    # Code in Markdown, where nothing is a link or a mention.
    assert "**Fix:** `Ask for fewer.`" in rule["help"]["markdown"]


def test_a_finding_of_a_waiver_has_the_words_of_its_rule(compared: Compared) -> None:
    [run] = compared(*of_stacks(recording(), recording(findings=(finding("waiver-is-valid"),))))
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == "Every waiver names a rule and has not expired"


def test_texts_of_a_pull_request_have_no_token_no_link_and_no_control_character(
    compared: Compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"\x1b[2J\x7f [here](https://example.com) {TOKEN}"
    hostile = finding(text, resource=text, subject=text, message=text, fix=text)
    waived = finding(text, status="waived", resource="thing")
    held = waiver("2099-12-31", rule=text)
    refused = RecordedUpdate(refused=(text,))
    head = recording(
        findings=(hostile, waived, finding("broken", resource="", message=text)),
        waivers=(type(held)(rule=text, reason=text, expires="2099-12-31"),),
        update=refused,
    )
    written = [
        compared(*of_stacks(recording(), head)),
        compared(*of_stacks(recording(), UnreadStack("dev", text))),
        compared(
            *between(
                monkeypatch, changed(f"Cluster {text}", Operation.DELETE, is_protected=True, reasons=(text,))
            )
        ),
    ]
    messages = json.dumps([[each["results"], each["invocations"]] for runs in written for each in runs])
    assert "[secret " in messages
    assert "](" not in messages
    assert r"\u001b" not in messages
    assert "\x7f" not in messages
    assert TOKEN not in json.dumps(written)
