"""What a rule is, and what it finds."""

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum

from resource_graph import Aspect, Resource, ResourceGraph
from resource_graph.printable import one_line
from resource_graph.values import Path

EVERY_RELEASE: tuple[str, ...] = ()
"""Lines of a rule that holds in every release, such as one about Kubernetes' own API or an arithmetic one."""


class Severity(Enum):
    """What a failed finding means for the person who deploys.

    Mandatory only where the reason was read in the engine's or operator's own code or seen in a run;
    inferences and estimates are advisory.
    """

    MANDATORY = "mandatory"
    ADVISORY = "advisory"


class Status(Enum):
    """How sure a finding is."""

    FAILED = "failed"
    UNDECIDED = "undecided"
    """A value that the rule needs is unknown. Never a pass, and never a reason to stop a deployment."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a rule's check saw about one resource."""

    resource: Resource
    subject: str
    """Name of the judged part: a service of the graph, or the resource itself."""
    message: str
    """What is wrong or unknown, with the numbers that were compared."""
    status: Status
    path: Path = ()
    """Path of the field in question; empty where the whole resource is meant."""
    advisory: bool = False
    """Whether this observation is advice although its rule is mandatory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One condition that must hold for a deployment to start, fit or be taken down again."""

    id: str
    title: str
    severity: Severity
    """Severity of the rule's gravest finding, and of each that does not say otherwise."""
    reason: str
    """What breaks where the rule does not hold."""
    source: str
    """Code, documentation or run in which the reason can be read."""
    fix: str
    check: Callable[[ResourceGraph], Iterable[Observation]]
    lines: tuple[str, ...]
    """Releases in whose code, documentation or runs the reason was read, such as "Dynamo 1.2".

    Another release may behave otherwise.
    """
    reads: frozenset[Aspect] = frozenset()
    """Aspects that the rule needs and not every origin tells; where one is missing the rule is not
    evaluated."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A person's word that a rule may be broken for a time."""

    rule: str
    """Id of the rule."""
    reason: str
    expires: dt.date
    """Last day on which the waiver holds."""

    def __str__(self) -> str:
        return f"waived until {self.expires.isoformat()}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Finding:
    """An observation and the rule that it is about."""

    rule: Rule
    observation: Observation
    waiver: Waiver | None = None
    """The waiver that holds today; only ever on a failed finding."""
    settings: tuple[str, ...] = ()
    """Settings that a person typed in the stack's file and that the finding comes from, such as
    serving.overrides.decode.max_batch_size; the message names each."""

    @property
    def urn(self) -> str:
        """URN of the resource in question."""
        return self.observation.resource.urn

    @property
    def severity(self) -> Severity:
        """Severity of this finding, which may be less than its rule's."""
        return Severity.ADVISORY if self.observation.advisory else self.rule.severity

    @property
    def stops(self) -> bool:
        """Whether this finding alone is a reason not to deploy."""
        mandatory = self.severity is Severity.MANDATORY
        return mandatory and self.waiver is None and self.observation.status is Status.FAILED

    @property
    def status(self) -> str:
        """The finding's state for a person: failed, undecided or waived."""
        return "waived" if self.waiver is not None else self.observation.status.value

    def message_with(self, place_of: Callable[[str], str | None]) -> str:
        """The message with each setting's place behind its name, such as Pulumi.dev.yaml:12, where known."""
        message = self.observation.message
        for setting in self.settings:
            place = place_of(setting)
            if place is not None:
                message = message.replace(setting, f"{setting}, {place}", 1)
        return message


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule that raised instead of judging; the deployment counts as unchecked."""

    rule: Rule
    error: Exception


@dataclass(frozen=True, slots=True)
class NotEvaluated:
    """A rule that looks at what the graph's origin does not tell."""

    rule: Rule
    missing: frozenset[Aspect]

    def __str__(self) -> str:
        return ", ".join(sorted(aspect.value for aspect in self.missing))


@dataclass(frozen=True, slots=True)
class Report:
    """What all rules found in one graph."""

    findings: tuple[Finding, ...]
    broken: tuple[BrokenRule, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    """Rules that neither passed nor failed, because the graph's origin does not tell what they read."""

    @property
    def stops(self) -> bool:
        """Whether there is a reason not to deploy."""
        return bool(self.broken) or any(finding.stops for finding in self.findings)


_LONGEST_SUBJECT = 120
_LONGEST_MESSAGE = 800
"""Characters of a message, a third more than the longest without quotes; a quote may be a whole file."""


def failed(resource: Resource, subject: str, message: str, path: Path = ()) -> Observation:
    """The rule does not hold."""
    return _observation(resource, subject, message, Status.FAILED, path)


def advised(resource: Resource, subject: str, message: str, path: Path = ()) -> Observation:
    """The rule does not hold, in a way that stops no deployment even where the rule is mandatory."""
    return replace(failed(resource, subject, message, path), advisory=True)


def undecided(resource: Resource, subject: str, message: str, path: Path = ()) -> Observation:
    """Whether the rule holds cannot be told; the message says what is missing."""
    return _observation(resource, subject, message, Status.UNDECIDED, path)


def _observation(resource: Resource, subject: str, message: str, status: Status, path: Path) -> Observation:
    shown = one_line(subject, _LONGEST_SUBJECT), one_line(message, _LONGEST_MESSAGE)
    return Observation(resource, *shown, status, path)
