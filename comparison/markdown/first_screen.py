"""What stands at the top of a comment, unfolded and always whole."""

import re
from collections.abc import Iterator

from comparison.markdown.quoting import code_span, markdown
from comparison.recording import Side
from comparison.sentences import listed
from comparison.stack_comparison import Comparison, StackComparison, UncomparedStack, Verdict
from comparison.verdict_lines import headline, red_lines, verdict_line

MARKER = "<!-- dynamo-stack diff -->"
"""First line: a workflow knows its comment by it."""
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
# Together they keep the first screen below 55,000 bytes, whatever the names in it are.
_MOST_STACKS = 30
_MOST_RED_LINES = 15
_MOST_NOTES = 4
_MOST_FILES = 3
_LONGEST_NAME = 80
_LONGEST_TEXT = 160


def first_screen(comparison: Comparison) -> str:
    """Return marker, verdicts, both sides and red lines; below 55,000 bytes."""
    blocks = (
        _markers(comparison),
        f"## {headline(comparison)}",
        "\n".join(_red_lines(comparison)),
        "\n".join(_verdicts(comparison)),
        "\n\n".join(_about_the_sides(comparison)),
    )
    return "\n\n".join(block for block in blocks if block)


def is_unchanged(stack: StackComparison | UncomparedStack) -> bool:
    """Whether a comment has nothing more to say of the stack than that."""
    return stack.verdict is Verdict.NO_CHANGES


def _markers(comparison: Comparison) -> str:
    commit = comparison.head.commit or ""
    lines = [MARKER]
    if _COMMIT.fullmatch(commit):
        lines.append(f"<!-- head: {commit} -->")
    return "\n".join(lines)


def _red_lines(comparison: Comparison) -> Iterator[str]:
    lines = red_lines(comparison)
    for sentence in lines[:_MOST_RED_LINES]:
        yield f"- :warning: {markdown(sentence, _LONGEST_TEXT)}"
    if len(lines) > _MOST_RED_LINES:
        yield f"- :warning: and {len(lines) - _MOST_RED_LINES} more like these, with their stacks below"


def _verdicts(comparison: Comparison) -> Iterator[str]:
    # The worst first: a stack past the limit is one of the least urgent.
    order = list(Verdict)
    changed = [each for each in comparison.stacks if not is_unchanged(each)]
    changed.sort(key=lambda each: -order.index(each.verdict))
    for stack in changed[:_MOST_STACKS]:
        yield f"- **{code_span(stack.name, _LONGEST_NAME)}**: {verdict_line(stack)}"
    if len(changed) > _MOST_STACKS:
        yield f"- and {len(changed) - _MOST_STACKS} more stacks that change, in the artifact"
    same = [each.name for each in comparison.stacks if is_unchanged(each)]
    if same:
        yield f"- no changes: {markdown(listed(same, _MOST_STACKS), _LONGEST_NAME)}"


def _about_the_sides(comparison: Comparison) -> Iterator[str]:
    base, head = comparison.base, comparison.head
    yield (
        f"{_named(base)} -> {_named(head)}. What is on the older side counts as deployed: no cluster and no "
        "account was asked, so what somebody changed there by hand is not in this comparison."
    )
    if comparison.changed_code:
        files = markdown(listed(comparison.changed_code, _MOST_FILES), _LONGEST_TEXT)
        yield (
            f"**This pull request changes the program's own code or requirements ({files}). This output was "
            "made by code of the pull request: judge that code first.**"
        )
    for note in comparison.notes[:_MOST_NOTES]:
        yield f"Note: {code_span(note, _LONGEST_TEXT)}"


def _named(side: Side) -> str:
    if side.commit is None or side.commit == side.label:
        return code_span(side.label, _LONGEST_TEXT)
    return f"{code_span(side.label, _LONGEST_TEXT)} ({code_span(side.commit, _LONGEST_TEXT)})"
