"""How a rule is written: a function whose name is the rule's id, and whose docstring is its title."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, NotRequired, TypedDict, TypeVar, Unpack

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, advised, failed, undecided
from rules.reading.pods.pods import Unreadable
from rules.reading.shapes import Undecided

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Advice:
    """What is wrong with a subject, and stops no deployment even where the rule is mandatory."""

    message: str


Said = str | Advice | Undecided | Observation
"""What a check says: what is wrong with its subject, or why nobody can tell; or an observation of its own,
which is about another resource or names a field."""

Check = Callable[[ResourceGraph, S], Iterable[Said]]
"""Looks at one subject, and may raise Undecided where the subject cannot be read."""


def about(subject: Any, said: Iterable[Said]) -> Iterator[Observation]:
    """What is said of a part of what is judged, such as a worker of a graph."""
    return (_observed(subject.resource, subject.name, each) for each in said)


@dataclass(frozen=True, slots=True)
class Subjects(Generic[S]):
    """What rules are about, such as the workers of a graph: found, named, and undecided where unreadable."""

    find: Callable[[ResourceGraph], Iterable[S | Unreadable]]
    place: Callable[[S], tuple[Resource, str]] = attrgetter("resource", "name")
    """Returns the resource that a finding is about, and the subject's name in that resource."""
    passed_over: tuple[type[Undecided], ...] = ()
    """Reasons why a check cannot read on that are reported by another rule."""

    def judge(self, graph: ResourceGraph, check: Check[S]) -> Iterator[Observation]:
        """Observations of the check; an unreadable subject is undecided, and the others are judged."""
        for subject in self.find(graph):
            if isinstance(subject, Unreadable):
                yield undecided(subject.resource, subject.name, subject.reason)
                continue
            # Most subjects have no mistake, and their place need not be looked up.
            try:
                for said in check(graph, subject):
                    if not isinstance(said, self.passed_over):
                        yield _observed(*self.place(subject), said)
            except self.passed_over:
                continue
            except Undecided as reason:
                yield undecided(*self.place(subject), str(reason))


def each_of(graph: ResourceGraph, subject: S, *checks: Check[S]) -> Iterator[Said]:
    """What several checks say of one subject; where one cannot judge, the others do."""
    reasons: set[str] = set()
    for check in checks:
        try:
            yield from check(graph, subject)
        except Undecided as reason:
            if str(reason) not in reasons:
                yield reason
            reasons.add(str(reason))


def names(things: Iterable[Any]) -> str:
    """Names of several things, for a message."""
    return ", ".join(dict.fromkeys(each.name for each in things))


class RuleText(TypedDict):
    """What a rule says of itself."""

    severity: Severity
    """Mandatory only where the reason was read in code or seen in a run."""
    reason: str
    """What breaks where the rule does not hold."""
    source: str
    """Code, documentation or run in which the reason can be read."""
    lines: tuple[str, ...]
    """Releases in which the reason was read, or EVERY_RELEASE."""
    fix: str
    """What a person does about a failed finding."""
    reads: NotRequired[frozenset[Aspect]]
    """Aspects of a graph that the rule needs and not every origin tells."""


def rule(subjects: Subjects[S], **text: Unpack[RuleText]) -> Callable[[Check[S]], Rule]:
    """Makes a rule of a check that looks at one subject at a time (rules/subjects.py)."""

    def made(check: Check[S]) -> Rule:
        return Rule(**_named(check), **text, check=lambda graph: subjects.judge(graph, check))

    return made


def graph_rule(
    **text: Unpack[RuleText],
) -> Callable[[Callable[[ResourceGraph], Iterable[Observation]]], Rule]:
    """Makes a rule of a check of a whole graph, or of several kinds of subjects."""

    def made(check: Callable[[ResourceGraph], Iterable[Observation]]) -> Rule:
        return Rule(**_named(check), **text, check=check)

    return made


def _named(check: Callable[..., object]) -> dict[str, str]:
    title = (check.__doc__ or "").strip()
    return {"id": check.__name__.replace("_", "-"), "title": title.removesuffix(".")}


def _observed(resource: Resource, name: str, said: Said) -> Observation:
    if isinstance(said, Observation):
        return said
    if isinstance(said, Undecided):
        return undecided(resource, name, str(said))
    if isinstance(said, Advice):
        return advised(resource, name, said.message)
    return failed(resource, name, said)
