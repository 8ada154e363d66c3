"""A comparison as the comment of a pull request.

Inside code GitHub expands nothing: no @name, no #number, no link, no HTML. So text of a pull request
stands in code spans and fences, with delimiters longer than any run of backticks inside
(https://spec.commonmark.org/0.31.2/#code-spans, #fenced-code-blocks). Where not all of it has room, sections
are left out as a whole, and counted.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from comparison.changes import ResourceChange
from comparison.facts import facts_of
from comparison.field_lines import resource_lines
from comparison.recording import Side
from comparison.resources import urgency
from comparison.stack_comparison import Comparison, ComparisonVerdict, StackComparison, UncomparedStack
from comparison.verdict_lines import (
    Quoted,
    Sentence,
    change_words,
    headline,
    listed,
    red_lines,
    verdict_line,
)
from resource_graph.printable import one_line, printable
from stacks.wording import in_words

LARGEST = 60_000
"""Bytes of UTF-8: GitHub refuses longer comments, at 65,536 characters by its own message and at more where
it was measured; this fits both."""
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
LONGEST = 600
"""Bytes of a quoted text; a longer one loses its end, and says so."""
_BACKTICKS = re.compile(r"`+")
_SHORTEST_FENCE = 3
_BETWEEN = "\n\n"
_LONGEST_FOOTER = 300
"""Bytes of what says how much was left out."""


Section = tuple[int, str]
"""A part of a comment that is shown whole or not at all, behind its rank: the lowest stands first, and stays
where not everything fits."""


def as_markdown(comparison: Comparison) -> str:
    """Return the comment, at most LARGEST bytes long."""
    sections = [
        section for stack in comparison.stacks if not is_unchanged(stack) for section in _sections(stack)
    ]
    return fitted(first_screen(comparison), sections, LARGEST)


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
    return stack.verdict is ComparisonVerdict.NO_CHANGES


def code_span(text: str, longest: int = LONGEST) -> str:
    """Return the text on one line as a code span, of at most three times so many bytes and 90 more."""
    line = _shortened(text, longest)
    if not line:
        return "(empty)"
    delimiter = "`" * (_longest_run(line) + 1)
    # A blank on both sides goes again; without it backticks at the ends would belong to the delimiters.
    blank = " " if "`" in line else ""
    return f"{delimiter}{blank}{line}{blank}{delimiter}"


def code_element(text: str) -> str:
    """Return the text on one line as HTML, for the places where Markdown is not read."""
    return f"<code>{html.escape(_shortened(text, LONGEST))}</code>"


def fence(lines: Iterable[str], language: str) -> str:
    """Return the lines, which are printable, as a block of code that none of them can close."""
    text = "\n".join(lines)
    delimiter = "`" * max(_SHORTEST_FENCE, _longest_run(text) + 1)
    return f"{delimiter}{language}\n{text}\n{delimiter}"


def markdown(sentence: Sentence, longest: int = LONGEST) -> str:
    """Return a sentence with what it quotes in code spans, each shortened to so many bytes."""
    return "".join(code_span(each.text, longest) if isinstance(each, Quoted) else each for each in sentence)


def fitted(first: str, sections: Sequence[Section], most: int) -> str:
    """Return the first screen, which is always whole, and the sections that fit, by their rank.

    Args:
        first: what is never left out.
        sections: the rest.
        most: bytes of UTF-8 that the result has at most.

    """
    room = most - _bytes(first) - _LONGEST_FOOTER
    shown: list[str] = []
    for _, text in sorted(sections, key=lambda each: each[0]):
        size = _bytes(text) + len(_BETWEEN)
        if size <= room:
            shown.append(text)
            room -= size
    dropped = len(sections) - len(shown)
    footer = [f"**{in_words(dropped, 'more section')} in the artifact: no room here.**"] if dropped else []
    return _BETWEEN.join((first, *footer, *shown)) + "\n"


def _sections(stack: StackComparison | UncomparedStack) -> Iterator[Section]:
    facts = facts_of(stack)
    if facts:
        text = "\n".join((f"### {code_span(stack.name)}\n", *(_fact(*each) for each in facts.items())))
        yield 0, text
    if isinstance(stack, UncomparedStack):
        return
    notices = [printable(each.text) for each in stack.update.notices]
    if notices and stack.resources:
        said = f"what <code>pulumi preview</code> says of the update of {code_element(stack.name)}"
        yield 1, _folded(said, notices, "text")
    for when, changes in (("", stack.resources), ("once open, ", stack.opened)):
        for change in changes:
            # What is deleted, replaced or refused comes before other resources.
            yield 2 + urgency(change)[0], _resource(stack.name, change, when)


def _fact(label: str, said: Sequence[Sentence]) -> str:
    sentences = [markdown(each) for each in said]
    if len(sentences) == 1:
        return f"- **{label}**: {sentences[0]}"
    return "\n".join((f"- **{label}**:", *(f"  - {each}" for each in sentences)))


def _resource(stack: str, change: ResourceChange, when: str) -> str:
    lines, words = resource_lines(change), f"{when}{change_words(change)}"
    if not lines:
        return f"- {words}: {code_span(change.title)} of {code_span(stack)}"
    return _folded(f"{words}: {code_element(change.title)} of {code_element(stack)}", lines, "diff")


def _folded(summary: str, lines: Iterable[str], language: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{fence(lines, language)}\n\n</details>"


def _markers(comparison: Comparison) -> str:
    commit = comparison.head.commit or ""
    return f"{MARKER}\n<!-- head: {commit} -->" if _COMMIT.fullmatch(commit) else MARKER


def _red_lines(comparison: Comparison) -> Iterator[str]:
    lines = red_lines(comparison)
    for sentence in lines[:_MOST_RED_LINES]:
        yield f"- :warning: {markdown(sentence, _LONGEST_TEXT)}"
    if len(lines) > _MOST_RED_LINES:
        yield f"- :warning: and {len(lines) - _MOST_RED_LINES} more like these, with their stacks below"


def _verdicts(comparison: Comparison) -> Iterator[str]:
    # The worst first: a stack past the limit is one of the least urgent.
    order = list(ComparisonVerdict)
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


def _shortened(text: str, longest: int) -> str:
    # Escapes first: six characters can stand for one.
    content = one_line(text).strip().encode("utf-8", errors="backslashreplace")
    if len(content) <= longest:
        return content.decode("utf-8")
    # A character that is cut in two goes as a whole.
    return f"{content[:longest].decode('utf-8', errors='ignore')} (... {len(content) - longest} bytes more)"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))
