"""`dynamo-stack check --json`."""

from collections.abc import Mapping, Sequence

from cli.check_input import WatchedGraph
from operations.document import Document
from resource_graph import value_at
from resource_graph.manifest_yaml import SettingLines
from rules.model import Finding, Report, Waiver
from rules.rule import Rule


class CheckedSetting(Document):
    """A setting that a person typed, and that a finding comes from."""

    key: str
    """Its path below `dynamo-stack:settings`, such as `serving.overrides.decode.max_batch_size`."""
    file: str | None
    """The stack's file; null where a state or a rendering is judged, which do not tell it."""
    line: int | None
    """Of the key in that file."""


class CheckedFinding(Document):
    """What a rule says of one part of one resource."""

    rule: str
    severity: str
    """`mandatory` or `advisory`."""
    status: str
    """`failed`, `waived` or `undecided`."""
    waiver: Waiver | None
    """Null unless the status is `waived`."""
    urn: str
    resource: str
    subject: str
    """Part of the resource that is judged, such as a service of the graph."""
    message: str
    settings: tuple[CheckedSetting, ...]
    """What a person typed that it comes from; the message names each."""
    file: str | None
    """File of the object; null for a stack, whose objects stand in no file."""
    document: int | None
    """Number of the document in the file, from 1."""
    line: int | None
    field: tuple[str | int, ...] | None
    """Path of the field in question; null where the whole object is meant."""
    reason: str
    """What breaks where the rule does not hold."""
    fix: str
    source: str


class CheckedBroken(Document):
    """A rule that raised instead of judging."""

    rule: str
    error: str


class CheckedMissing(Document):
    """A rule that was not asked, because nothing here tells what it reads."""

    rule: str
    missing: tuple[str, ...]


class CheckDocument(Document):
    """Every finding of every rule; nothing is grouped or left out."""

    subject: str
    """What was judged, such as `stack dev`, or files."""
    stops: bool
    """Whether there is a reason not to deploy."""
    findings: tuple[CheckedFinding, ...]
    broken: tuple[CheckedBroken, ...]
    not_evaluated: tuple[CheckedMissing, ...]
    rules: tuple[str, ...]
    """Ids of all rules that were asked."""
    read: Mapping[str, int]
    """Kind or type -> how many were read."""
    understood: bool
    """Whether anything at all was judged, and a workload where there is any."""
    not_judged: Mapping[str, int]
    """Kind or type that no rule and no schema knows -> how many were read."""


def check_document(
    report: Report, graph: WatchedGraph, subject: str, rules: Sequence[Rule], lines: SettingLines | None
) -> CheckDocument:
    """Return the report for a program to read.

    Args:
        report: what the rules found.
        graph: what they looked at.
        subject: its name.
        rules: all that were asked.
        lines: of the stack's file; None where none is judged.

    """
    return CheckDocument(
        subject=subject,
        stops=report.stops,
        findings=tuple(_checked(finding, lines) for finding in report.findings),
        broken=tuple(CheckedBroken(rule=rule.id, error=repr(error)) for rule, error in report.broken.items()),
        not_evaluated=tuple(
            CheckedMissing(rule=rule.id, missing=tuple(missing))
            for rule, missing in report.not_evaluated.items()
        ),
        rules=tuple(rule.id for rule in rules),
        read=graph.kinds_read(),
        understood=graph.is_understood(),
        not_judged=graph.kinds_not_judged(),
    )


def _checked(finding: Finding, lines: SettingLines | None) -> CheckedFinding:
    observation = finding.observation
    origin = observation.resource.origin
    is_in_text = isinstance(value_at(observation.resource.inputs, observation.path[:-1]), str)
    return CheckedFinding(
        rule=finding.rule.id,
        severity=finding.severity.value,
        status=finding.status,
        waiver=finding.waiver,
        urn=finding.urn,
        resource=observation.resource.name,
        subject=observation.subject,
        message=observation.message,
        settings=tuple(
            CheckedSetting(
                key=key,
                file=None if lines is None else lines.file,
                line=None if lines is None else lines.of_setting(key),
            )
            for key in finding.settings
        ),
        file=origin.file if origin else None,
        document=origin.document if origin else None,
        line=origin.line_of(observation.path) if origin else None,
        field=observation.path[: -1 if is_in_text else None] or None,
        reason=finding.rule.reason,
        fix=finding.rule.fix,
        source=finding.rule.source,
    )
