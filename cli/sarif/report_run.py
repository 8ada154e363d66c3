"""The run of `check`: what the rules found in one graph, and where each finding stands."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cli.sarif.log import DescribedRule, Notification, Result, Run, Suppression
from cli.sarif.places import Place
from rules.model import Finding, Report, Rule, Status


@dataclass(frozen=True, slots=True)
class Locations:
    """Where findings stand."""

    of_finding: Callable[[Finding], Place | None]
    """None for a finding that stands in no file, which code scanning cannot show."""
    of_waiver: Callable[[str], Place | None]
    """By the rule that is waived; None where the waiver stands in no file that is judged."""


def report_run(report: Report, rules: Sequence[Rule], *, category: str, locations: Locations) -> Run:
    """Return the run of a report.

    Args:
        report: what the rules found; findings that are undecided are no results.
        rules: all that were asked.
        category: tells this run from others of one commit, such as the stack's name.
        locations: of findings and of waivers.

    """
    return Run(
        command="check",
        category=category,
        rules=[DescribedRule.of(rule) for rule in rules],
        results=list(_results(report, locations)),
        notifications=tuple(
            Notification("error", f"the rule {each.rule.id} is broken: {each.error!r}", each.rule.id)
            for each in report.broken
        ),
        is_complete=not report.broken,
        whole="dynamo-stack check --json",
    )


def _results(report: Report, locations: Locations) -> Iterator[Result]:
    for finding in report.findings:
        place, seen = locations.of_finding(finding), finding.observation
        if seen.status is not Status.FAILED or place is None:
            continue
        waived = finding.waiver and Suppression(str(finding.waiver), locations.of_waiver(finding.rule.id))
        yield Result(
            rule=finding.rule.id,
            severity=finding.rule.severity,
            message=f"{seen.resource.name} / {seen.subject}: {seen.message}",
            place=place,
            identity=(finding.rule.id, finding.urn, seen.subject),
            suppressions=(waived,) if waived else None,
        )
