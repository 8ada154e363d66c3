"""The comment of a pull request."""

from dataclasses import replace

import pytest

from comparison.capacity import capacity_of
from comparison.changes import Change, FieldChange, Operation
from comparison.finding_changes import FindingChanges, WaiverChanges
from comparison.markdown import LARGEST, as_markdown, first_screen
from comparison.recording import RecordedNotice, RecordedUpdate
from comparison.stack_comparison import Comparison, UncomparedStack
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

# Each is longer than any quotation.
LONGEST = ("`" * 1_300, "\U0001f600" * 330, "\U000e0001" * 130, "a\nb" * 330)


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
        waivers=WaiverChanges(new=(waived,), removed=(waived,)),
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
    forged = Comparison(base=side(), head=side(label="topic", commit="--> @octocat"), stacks=())
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
        "<details><summary>updated: <code>Deployment gpt-oss/nats</code> of <code>dev</code></summary>\n\n"
        "```diff\n@@ spec.replicas @@\n- 2\n+ 4\n```\n\n</details>"
    ) in text


def test_the_facts_of_all_stacks_come_before_the_objects_of_any() -> None:
    text = as_markdown(comparison([stack(replicas()), stack(replicas(), name="other")]))
    assert text.index("### `other`") < text.index("<details>")


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
    assert "**1 more section in the artifact: no room here.**" in text


@pytest.mark.parametrize("text", LONGEST)
def test_the_longest_names_leave_room_on_the_first_screen(text: str) -> None:
    gone = changed(f"Namespace {text}", Operation.DELETE, is_stateful=True, reasons=(text,))
    stacks = [stack(*([gone] * 3), name=f"{number}{text}") for number in range(40)]
    stacks += [stack(name=f"{number}{text}") for number in range(40)]
    base = replace(side(label=text), notes=tuple(f"{number}{text}" for number in range(10)))
    compared = Comparison(base=base, head=side(label=text), stacks=tuple(stacks), changed_code=(text,) * 10)
    assert len(first_screen(compared).encode()) < 55_000
    assert len(as_markdown(compared).encode()) <= LARGEST


@pytest.mark.parametrize("text", [*HOSTILE, *LONGEST])
def test_no_comment_is_too_large_and_its_first_screen_is_always_whole(text: str) -> None:
    many = {"stacks": everywhere(text).stacks * 40, "changed_code": (text,) * 20}
    compared = everywhere(text).model_copy(update=many)
    comment = as_markdown(compared)
    assert len(comment.encode()) <= LARGEST
    assert comment.startswith(first_screen(compared) + "\n")
    outside = outside_code(comment)
    assert outside.count("<details>") == outside.count("</details>")
