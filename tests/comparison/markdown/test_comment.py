"""The comment of a pull request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparison.capacity import capacity_of
from comparison.changes import Change, Effect, FieldChange, Operation, ResourceChange
from comparison.finding_changes import FindingChanges, WaiverChanges
from comparison.markdown import LARGEST, as_markdown, first_screen
from comparison.recording import RecordedNotice, RecordedUpdate
from comparison.stack_comparison import Comparison, StackComparison, UncomparedStack
from tests.comparison.made_up import (
    BASE,
    HEAD,
    changed,
    comparison,
    finding,
    pool,
    refused_size,
    replicas,
    side,
    stack,
    waiver,
)
from tests.comparison.markdown.github import outside_code

# Each of them would reach somebody, load something or end a block, were it not in code.
HOSTILE = (
    "@octocat please approve",
    "#1 https://example.com <img src=x onerror=alert(1)>",
    "</code></summary></details><!-- dynamo-stack diff -->",
    "```\n@octocat\n````",
    "`` ` @octocat ` ``",
    "[click](https://example.com) ![](https://example.com/pixel)",
    "\x1b[2J\u202e\r\n## No changes",
    "| a | b |\n|---|---|\n$x$ $`y`$",
)


def everywhere(text: str) -> Comparison:
    """A comparison that has the text wherever a pull request could bring it in."""
    field = FieldChange(path=(text, 0), change=Change.CHANGED, before=text, after={text: [text]})
    deleted = changed("PersistentVolumeClaim a", Operation.DELETE, is_stateful=True, reasons=(text,))
    update = RecordedUpdate(notices=(RecordedNotice(text, warns=True),), refused=(text,), interruption=text)
    machine = pool(machine=text, accelerator=text, block=text, price_source=text, price_date=text)
    one = finding(text, resource=text, subject=text, message=text, fix=text)
    waived = replace(waiver("2026-12-01", text), reason=text)
    changes = (
        changed(text, Operation.UPDATE, field, renamed_from=text, reasons=(text,)),
        changed(text, Operation.CREATE),
        replace(deleted, title=text),
    )
    full = stack(
        *changes,
        name=text,
        update=update,
        before=capacity_of([]),
        after=capacity_of([machine]),
        findings=FindingChanges(new=(one,), fixed=(one,), still_there=(one,), waived=(one,)),
        waivers=WaiverChanges(new=(waived,), expired=(waived,), expiring=(waived,), removed=(waived,)),
        secrets=(text,),
    )
    head = replace(side(label=text, commit=HEAD), notes=(text,))
    return Comparison(
        base=side(label=text),
        head=head,
        stacks=(full, UncomparedStack(text, text, text), stack(name=text)),
        changed_code=(text,),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_pull_request_is_printable_and_in_code_wherever_it_stands(text: str) -> None:
    comment = as_markdown(everywhere(text))
    assert outside_code(comment) == outside_code(as_markdown(everywhere("harmless")))
    assert [each for each in comment if not each.isprintable() and each not in "\n\t"] == []


def test_the_comment_begins_with_the_marker_and_the_head_s_commit() -> None:
    first, second, *_ = as_markdown(comparison()).splitlines()
    assert (first, second) == ("<!-- dynamo-stack diff -->", f"<!-- head: {HEAD} -->")


def test_a_commit_that_is_none_cannot_close_the_marker() -> None:
    forged = replace(comparison(), head=side(label="topic", commit="--> @octocat"))
    assert outside_code(as_markdown(forged)).count("-->") == 1


def test_a_comparison_without_changes_is_a_comment_too() -> None:
    text = as_markdown(comparison([stack(), stack(name="other")]))
    assert "## No changes in 2 stacks" in text
    assert "- no changes: `dev`, `other`" in text
    assert f"`main` (`{BASE}`) -> `topic` (`{HEAD}`)" in text
    assert "counts as deployed" in text


def test_red_lines_come_before_the_verdicts_and_stay_unfolded() -> None:
    text = as_markdown(comparison([stack(replicas()), stack(refused_size(), name="other")]))
    red, verdict, folded = (
        text.index(words)
        for words in (":warning: `other`: updated; refused", "**`other`**: 1 updated", "<details>")
    )
    assert red < verdict < folded


def test_fields_are_folded_below_their_resource() -> None:
    text = as_markdown(comparison([stack(replicas())]))
    assert (
        "<details><summary>updated: <code>Deployment gpt-oss/nats</code></summary>\n\n"
        "```diff\n@@ spec.replicas @@\n- 2\n+ 4\n```\n\n</details>"
    ) in text


def test_a_pull_request_that_changes_the_program_is_said_to_have_written_this() -> None:
    text = as_markdown(comparison([stack()], changed_code=("cli/main.py", "a", "b", "c")))
    assert "made by code of the pull request" in text
    assert "(`cli/main.py`, `a`, `b` and 1 more)" in text
    assert "made by code" not in as_markdown(comparison([stack()]))


def test_what_is_deleted_stays_longer_than_what_is_updated() -> None:
    content = FieldChange(path=("data",), change=Change.ADDED, after="x" * 29_000)
    updated = changed("ConfigMap a/updated", Operation.UPDATE, content)
    deleted = changed("ConfigMap a/deleted", Operation.DELETE, replace(content, after="x" * 31_000))
    text = as_markdown(comparison([stack(updated, deleted)]))
    assert "<code>ConfigMap a/deleted" in text
    assert "<code>ConfigMap a/updated" not in text


# Each is longer than any quotation, and there are more of each than are ever listed.
@pytest.mark.parametrize("text", ["`" * 1_300, "\U0001f600" * 330, "\U000e0001" * 130, "a\nb" * 330])
def test_the_longest_names_leave_room_on_the_first_screen(text: str) -> None:
    gone = changed(f"Namespace {text}", Operation.DELETE, is_stateful=True, reasons=(text,))
    stacks = [stack(*([gone] * 3), name=f"{number}{text}") for number in range(40)]
    stacks += [stack(name=f"{number}{text}") for number in range(40)]
    base = replace(side(label=text), notes=tuple(f"{number}{text}" for number in range(10)))
    compared = Comparison(base=base, head=side(label=text), stacks=tuple(stacks), changed_code=(text,) * 10)
    assert len(first_screen(compared).encode()) < 55_000
    assert len(as_markdown(compared).encode()) <= LARGEST


_TEXTS = st.sampled_from((*HOSTILE, "`" * 500, "\U0001f600" * 200, "\U000e0001" * 300, "plain")) | st.text()
_VALUES = st.one_of(_TEXTS, _TEXTS.map(lambda text: text * 30), _TEXTS.map(lambda text: {text: [text]}))


@st.composite
def _changes(draw: st.DrawFn) -> ResourceChange:
    fields = tuple(
        FieldChange(
            path=(draw(_TEXTS),),
            change=draw(st.sampled_from(Change)),
            before=draw(_VALUES),
            after=draw(_VALUES),
            effect=draw(st.sampled_from(Effect)),
        )
        for _ in range(draw(st.integers(0, 2)))
    )
    operation = draw(st.sampled_from(Operation))
    return changed(f"Kind {draw(_TEXTS)}", operation, *fields, reasons=(draw(_TEXTS),))


@st.composite
def _comparisons(draw: st.DrawFn) -> Comparison:
    some = draw(st.lists(_changes(), max_size=4))
    text = draw(_TEXTS)
    times = draw(st.sampled_from((1, 20)))
    update = RecordedUpdate(interruption=text, refused=(text,) * 3)
    stacks: list[Any] = [
        StackComparison(name=f"{number}{text}", resources=tuple(some * times), update=update)
        for number in range(draw(st.sampled_from((1, 40))))
    ]
    stacks += [stack(name=text)] * draw(st.sampled_from((0, 40)))
    base = replace(side(label=text), notes=(text, "a", "b", "c", "d"))
    return Comparison(base=base, head=side(label=text), stacks=tuple(stacks), changed_code=(text,) * times)


@settings(max_examples=15)
@given(_comparisons())
def test_no_comment_is_too_large_and_its_first_screen_is_always_whole(compared: Comparison) -> None:
    comment = as_markdown(compared)
    assert len(comment.encode()) <= LARGEST
    assert comment.startswith(first_screen(compared) + "\n")
    outside = outside_code(comment)
    assert outside.count("<details>") == outside.count("</details>")
