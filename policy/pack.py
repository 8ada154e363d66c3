"""The rules as Pulumi policies: one stack policy per rule.

A stack policy is told the edges between resources, but as properties only outputs, which are empty in a
preview while the provider's configuration is unknown. A resource policy is told the inputs. So one resource
policy collects inputs, and the stack policies join the two by URN.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from resource_graph import Value
from resource_graph.policy_host import policy_graph, policy_inputs
from rules.catalogue import rules_on
from rules.model import Finding, Report, Rule, Status
from rules.model import Severity as RuleSeverity
from rules.run import run_rules

_TAGS = ["dynamo", "kubernetes", "gpu"]


def policies(rules: Sequence[Rule] | None = None, *, today: dt.date) -> list[Policy]:
    """The policies of the pack, each enforced as its rule says unless the pack's configuration differs.

    Args:
        rules: None for all of them.
        today: decides which of a stack's waivers hold.
    """
    judging = rules_on(today) if rules is None else rules
    view = _View({}, today)
    return [
        _input_collector(view),
        *(_rule_policy(rule, view) for rule in judging),
        _undecided_policy(judging, view),
        _waived_policy(judging, view),
    ]


@dataclass(frozen=True, slots=True)
class _View:
    """What the pack knows beside what the host tells a stack policy."""

    inputs: dict[str, Mapping[str, Value]]
    today: dt.date


def _input_collector(view: _View) -> Policy:
    def collect(args: ResourceValidationArgs, report: ReportViolation) -> None:  # noqa: ARG001 - fixed signature
        view.inputs[args.urn] = policy_inputs(args.props)

    return ResourceValidationPolicy(
        name="resource-inputs",
        display_name="Reads the inputs that the rules look at",
        description="Never finds anything itself; disabling it leaves the rules with outputs only.",
        validate=collect,
        enforcement_level=EnforcementLevel.ADVISORY,
        tags=_TAGS,
    )


def _rule_policy(rule: Rule, view: _View) -> Policy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        for finding in _run([rule], args, view).findings:
            if finding.observation.status is Status.FAILED and finding.waiver is None:
                report(_message(finding), finding.urn)

    mandatory = rule.severity is RuleSeverity.MANDATORY
    return StackValidationPolicy(
        name=rule.id,
        display_name=rule.title,
        description=rule.title,
        validate=validate,
        enforcement_level=EnforcementLevel.MANDATORY if mandatory else EnforcementLevel.ADVISORY,
        severity=Severity.HIGH if mandatory else Severity.LOW,
        remediation_steps=rule.fix,
        tags=_TAGS,
    )


def _undecided_policy(rules: Sequence[Rule], view: _View) -> Policy:
    # A policy of its own, because an undecided finding must be seen but must not stop a preview, and one
    # policy has one level of enforcement.
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        for finding in _run(rules, args, view).findings:
            if finding.observation.status is Status.UNDECIDED:
                report(f"{finding.rule.id}: {_message(finding)}", finding.urn)

    return StackValidationPolicy(
        name="undecided",
        display_name="Rules that could not decide",
        description="A value that a rule needs is unknown",
        validate=validate,
        enforcement_level=EnforcementLevel.ADVISORY,
        severity=Severity.LOW,
        tags=_TAGS,
    )


def _waived_policy(rules: Sequence[Rule], view: _View) -> Policy:
    # A waived finding must not stop a preview and must not vanish from it either.
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        for finding in _run(rules, args, view).findings:
            if finding.waiver is not None:
                report(f"{finding.rule.id} ({finding.waiver}): {_message(finding)}", finding.urn)

    return StackValidationPolicy(
        name="waived",
        display_name="Findings that the stack's settings waive",
        description="Findings that the stack's settings waive for a time",
        validate=validate,
        enforcement_level=EnforcementLevel.ADVISORY,
        severity=Severity.LOW,
        tags=_TAGS,
    )


def _run(rules: Sequence[Rule], args: StackValidationArgs, view: _View) -> Report:
    report = run_rules(policy_graph(args.resources, view.inputs), rules, today=view.today)
    for broken in report.broken:
        # A violation could be configured away; an error ends the preview whatever the configuration says.
        message = f"rule {broken.rule.id} is broken: {broken.error!r}"
        raise RuntimeError(message) from broken.error
    return report


def _message(finding: Finding) -> str:
    observation = finding.observation
    text = f"{observation.subject} {observation.message}."
    if observation.status is Status.UNDECIDED:
        return text
    return f"{text}\nWhy: {finding.rule.reason}\nFix: {finding.rule.fix}\nSource: {finding.rule.source}"
