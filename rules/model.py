"""What rules found in a graph, and the findings that a person accepts for a time."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rules.rule import Observation, Rule, Severity


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
        return mandatory and self.waiver is None and self.observation.status == "failed"

    @property
    def status(self) -> Literal["failed", "undecided", "waived"]:
        """The finding's state for a person."""
        return "waived" if self.waiver is not None else self.observation.status


@dataclass(frozen=True, slots=True)
class Report:
    """What all rules found in one graph."""

    findings: tuple[Finding, ...]
    broken: Mapping[Rule, Exception]
    """Rules that raised instead of judging; the deployment counts as unchecked."""
    not_evaluated: Mapping[Rule, Sequence[str]]
    """Rules that neither passed nor failed, and what the graph's origin does not tell of what they read."""

    @property
    def stops(self) -> bool:
        """Whether there is a reason not to deploy."""
        return bool(self.broken) or any(finding.stops for finding in self.findings)
