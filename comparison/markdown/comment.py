"""The whole comment: the first screen, what changes for each stack, then each resource, folded."""

from collections.abc import Iterable, Iterator

from comparison.changes import Operation, ResourceChange
from comparison.facts import facts_of
from comparison.field_lines import resource_lines
from comparison.markdown.first_screen import MARKER, first_screen, is_unchanged
from comparison.markdown.quoting import code_element, code_span, fence, markdown
from comparison.markdown.size import Rank, Section, fitted
from comparison.sentences import Fact
from comparison.stack_comparison import Comparison, StackComparison, UncomparedStack
from comparison.verdict_lines import change_words
from resource_graph.printable import printable

__all__ = ["LARGEST", "MARKER", "as_markdown"]

LARGEST = 60_000
"""Bytes of UTF-8: GitHub refuses longer comments, at 65,536 characters by its own message and at more where
it was measured; this fits both."""


def as_markdown(comparison: Comparison) -> str:
    """Return the comment, at most LARGEST bytes long."""
    sections = [
        section for stack in comparison.stacks if not is_unchanged(stack) for section in _sections(stack)
    ]
    return fitted(first_screen(comparison), sections, LARGEST)


def _sections(stack: StackComparison | UncomparedStack) -> Iterator[Section]:
    facts = facts_of(stack)
    if facts:
        text = "\n".join((f"### {code_span(stack.name)}\n", *map(_fact, facts)))
        yield Section(stack.name, Rank.FACTS, text)
    if isinstance(stack, UncomparedStack):
        return
    notices = [printable(each.text) for each in stack.update.notices]
    if notices and stack.resources:
        text = _folded("what <code>pulumi preview</code> says of the update", notices, "text")
        yield Section(stack.name, Rank.NOTICES, text)
    for when, changes in (("", stack.resources), ("once open, ", stack.opened)):
        for change in changes:
            yield Section(stack.name, _rank(change), _resource(change, when))


def _fact(fact: Fact) -> str:
    sentences = [markdown(each) for each in fact.sentences]
    if len(sentences) == 1:
        return f"- **{fact.label}**: {sentences[0]}"
    return "\n".join((f"- **{fact.label}**:", *(f"  - {each}" for each in sentences)))


def _resource(change: ResourceChange, when: str) -> str:
    lines, words = resource_lines(change), f"{when}{change_words(change)}"
    summary = f"{words}: {code_element(change.title)}"
    if not lines:
        return f"- {words}: {code_span(change.title)}"
    return _folded(summary, lines, "diff")


def _folded(summary: str, lines: Iterable[str], language: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{fence(lines, language)}\n\n</details>"


def _rank(change: ResourceChange) -> Rank:
    ends = change.operation in {Operation.DELETE, Operation.REPLACE, Operation.FORGET}
    return Rank.URGENT_OBJECT if ends or change.is_refused else Rank.OBJECT
