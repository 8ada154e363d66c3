"""The rules as Pulumi policies: one stack policy per rule.

A stack policy is told the edges between resources, but as properties only outputs, which are empty in a
preview while the provider's configuration is unknown. A resource policy is told the inputs. So one resource
policy collects inputs, and the stack policies join the two by URN.
"""

from collections.abc import Mapping, Sequence

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
from rules.catalogue import RULES
from rules.model import Finding, Report, Rule, Status
from rules.model import Severity as RuleSeverity
from rules.run import run_rules

_TAGS = ["dynamo", "kubernetes", "gpu"]


def policies(rules: Sequence[Rule] = RULES) -> list[Policy]:
    """The policies of the pack, each enforced as its rule says unless the pack's configuration differs."""
    inputs: dict[str, Mapping[str, Value]] = {}
    return [
        _input_collector(inputs),
        *(_rule_policy(rule, inputs) for rule in rules),
        _undecided_policy(rules, inputs),
    ]


def _input_collector(inputs: dict[str, Mapping[str, Value]]) -> Policy:
    def collect(args: ResourceValidationArgs, report: ReportViolation) -> None:  # noqa: ARG001 - fixed signature
        inputs[args.urn] = policy_inputs(args.props)

    return ResourceValidationPolicy(
        name="resource-inputs",
        display_name="Reads the inputs that the rules look at",
        description="Never finds anything itself; disabling it leaves the rules with outputs only.",
        validate=collect,
        enforcement_level=EnforcementLevel.ADVISORY,
        tags=_TAGS,
    )


def _rule_policy(rule: Rule, inputs: Mapping[str, Mapping[str, Value]]) -> Policy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        for finding in _run([rule], args, inputs).findings:
            if finding.observation.status is Status.FAILED:
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


def _undecided_policy(rules: Sequence[Rule], inputs: Mapping[str, Mapping[str, Value]]) -> Policy:
    # A policy of its own, because an undecided finding must be seen but must not stop a preview, and one
    # policy has one level of enforcement.
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        for finding in _run(rules, args, inputs).findings:
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


def _run(
    rules: Sequence[Rule], args: StackValidationArgs, inputs: Mapping[str, Mapping[str, Value]]
) -> Report:
    report = run_rules(policy_graph(args.resources, inputs), rules)
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
