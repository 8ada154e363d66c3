"""How a rule is written: a function whose name is the rule's id, and whose docstring is its title."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.pods.pods import Unreadable
from rules.reading.shapes import Undecided

S = TypeVar("S")

Said = str | Undecided | Observation
"""What a check says: what is wrong with its subject, or why nobody can tell; or an observation of its own,
which is about another resource or names a field."""

Check = Callable[[ResourceGraph, S], Iterable[Said]]
"""Looks at one subject. It may raise Undecided where it cannot read on."""


@dataclass(frozen=True, slots=True)
class Subjects(Generic[S]):
    """What rules are about, such as the workers of a graph: found, named, and undecided where unreadable."""

    find: Callable[[ResourceGraph], Iterable[S | Unreadable]]
    place: Callable[[S], tuple[Resource, str]]
    """The resource that a finding is about, and what the subject is called in it."""
    passed_over: tuple[type[Undecided], ...] = ()
    """Reasons why a check cannot read on that another rule is about."""

    def judge(self, graph: ResourceGraph, check: Check[S]) -> Iterator[Observation]:
        """What the check sees of each subject; what is unknown of one leaves the others judged."""
        for subject in self.find(graph):
            if isinstance(subject, Unreadable):
                yield undecided(subject.resource, subject.name, subject.reason)
                continue
            resource, name = self.place(subject)
            try:
                for said in check(graph, subject):
                    yield _observed(resource, name, said)
            except self.passed_over:
                continue
            except Undecided as reason:
                yield undecided(resource, name, str(reason))


def rule(
    subjects: Subjects[S],
    *,
    severity: Severity,
    reason: str,
    source: str,
    lines: tuple[str, ...],
    fix: str,
    reads: frozenset[Aspect] = frozenset(),
) -> Callable[[Check[S]], Rule]:
    """Makes a rule of a check that looks at one subject at a time.

    Args:
        subjects: what it is about (rules/subjects.py).
        severity: mandatory only where the reason was read in code or seen in a run.
        reason: what breaks otherwise.
        source: where that can be read.
        lines: releases in which it was read, or EVERY_RELEASE.
        fix: what a person does about it.
        reads: what not every origin tells, and the rule needs.
    """

    def made(check: Check[S]) -> Rule:
        def judge(graph: ResourceGraph) -> Iterator[Observation]:
            return subjects.judge(graph, check)

        return Rule(
            **_named(check),
            severity=severity,
            reason=reason,
            source=source,
            lines=lines,
            fix=fix,
            reads=reads,
            check=judge,
        )

    return made


def graph_rule(
    *,
    severity: Severity,
    reason: str,
    source: str,
    lines: tuple[str, ...],
    fix: str,
    reads: frozenset[Aspect] = frozenset(),
) -> Callable[[Callable[[ResourceGraph], Iterable[Observation]]], Rule]:
    """Makes a rule of a check that compares things of a whole graph, or is about several kinds of subjects.

    Args: as of `rule`.
    """

    def made(check: Callable[[ResourceGraph], Iterable[Observation]]) -> Rule:
        return Rule(
            **_named(check),
            severity=severity,
            reason=reason,
            source=source,
            lines=lines,
            fix=fix,
            reads=reads,
            check=check,
        )

    return made


def _named(check: Callable[..., object]) -> dict[str, str]:
    title = (check.__doc__ or "").strip()
    return {"id": check.__name__.replace("_", "-"), "title": title.removesuffix(".")}


def _observed(resource: Resource, name: str, said: Said) -> Observation:
    if isinstance(said, Observation):
        return said
    if isinstance(said, Undecided):
        return undecided(resource, name, str(said))
    return failed(resource, name, said)
