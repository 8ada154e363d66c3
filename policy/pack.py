"""The rules as Pulumi policies: one stack policy per rule.

A stack policy is told the edges between resources, but as properties only outputs, which are empty in a
preview while the provider's configuration is unknown. A resource policy is told the inputs. So one resource
policy collects inputs, and the stack policies join the two by URN.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policy.wording import (
    Texts,
    advice_texts,
    failed_texts,
    not_evaluated_texts,
    source_url,
    undecided_texts,
    waived_texts,
)
from resource_graph import Value
from resource_graph.policy_host import policy_graph, policy_inputs
from rules.catalogue import TOPICS, rules_on, run_rules
from rules.model import Report
from rules.rule import Rule
from rules.rule import Severity as RuleSeverity

INPUTS_POLICY = "resource-inputs"
"""Name of the policy that collects what the rules look at."""
_TAGS = ["dynamo", "kubernetes", "gpu"]


class Judge:
    """The rules' report on the stack that the host shows at the moment.

    The host asks one policy after another about the same stack, and builds the stack anew for each.
    """

    def __init__(self, rules: Sequence[Rule], today: dt.date) -> None:
        self._rules = rules
        self._today = today
        self._inputs: dict[str, Mapping[str, Value]] = {}
        self._report: Report | None = None
        self._asked: set[str] = set()

    def learn(self, urn: str, inputs: Mapping[str, Value]) -> None:
        """Remember a resource's inputs; what was said before is about another stack."""
        self._inputs[urn] = inputs
        self._report = None

    def report(self, policy: str, resources: Sequence[PolicyResource]) -> Report:
        """The report on the stack.

        No policy asks twice about one stack, so a second question of the same begins a new one.

        Raises:
            RuntimeError: a rule is broken, or the inputs were not collected. A violation could be
                configured away; an error ends the preview whatever the configuration says.
        """
        if self._report is None or policy in self._asked:
            self._report = self._judge(resources)
            self._asked = set()
        self._asked.add(policy)
        return self._report

    def _judge(self, resources: Sequence[PolicyResource]) -> Report:
        if resources and not self._inputs:
            raise RuntimeError(
                f"the policy {INPUTS_POLICY} is disabled, so no rule sees anything; where the configuration "
                f'disables "all", add "{INPUTS_POLICY}": "advisory"'
            )
        report = run_rules(policy_graph(resources, self._inputs), self._rules, today=self._today)
        for broken in report.broken:
            message = f"rule {broken.rule.id} is broken: {broken.error!r}"
            raise RuntimeError(message) from broken.error
        return report


def policies(rules: Sequence[Rule] | None = None, *, today: dt.date) -> list[Policy]:
    """The policies of the pack, each enforced as its rule says unless the pack's configuration differs.

    `rules` is None for all of them; `today` decides which of a stack's waivers hold.
    """
    judging = rules_on(today) if rules is None else rules
    judge = Judge(judging, today)
    topics = {rule.id: topic.name for topic in TOPICS for rule in topic.rules}
    return [
        _input_collector(judge),
        *(_rule_policy(rule, topics, judge) for rule in judging),
        _own_policy(
            "advice",
            "Advice of rules that can also stop a deployment",
            "This costs speed or money, and nothing is stopped",
            judge,
            advice_texts,
        ),
        _own_policy(
            "undecided",
            "Rules that could not decide",
            "A value that these rules need is unknown",
            judge,
            undecided_texts,
        ),
        _own_policy(
            "waived",
            "Findings that the stack's settings waive",
            "Findings that the stack's settings waive for a time",
            judge,
            waived_texts,
        ),
        _own_policy(
            "not-evaluated",
            "Rules that only `dynamo-stack check` judges",
            "These rules have neither passed nor failed",
            judge,
            not_evaluated_texts,
        ),
    ]


def _input_collector(judge: Judge) -> Policy:
    def collect(args: ResourceValidationArgs, report: ReportViolation) -> None:  # noqa: ARG001 - fixed signature
        judge.learn(args.urn, policy_inputs(args.props))

    return ResourceValidationPolicy(
        name=INPUTS_POLICY,
        display_name="Reads the inputs that the rules look at",
        description="Never finds anything itself; without it no rule can judge, so disabling it is an error.",
        validate=collect,
        enforcement_level=EnforcementLevel.ADVISORY,
        tags=_TAGS,
    )


def _rule_policy(rule: Rule, topics: Mapping[str, str], judge: Judge) -> Policy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        judged = judge.report(rule.id, args.resources)
        failed = [
            finding
            for finding in judged.findings
            if finding.rule is rule and finding.status == "failed" and finding.severity is rule.severity
        ]
        for urn, text in failed_texts(failed):
            report(text, urn)
        reason = _why_not_passed(rule, judged)
        if not failed and reason is not None:
            # Without a violation the engine would count the rule among those that passed.
            args.not_applicable(reason)

    mandatory = rule.severity is RuleSeverity.MANDATORY
    return StackValidationPolicy(
        name=rule.id,
        display_name=rule.title,
        description=rule.reason,
        validate=validate,
        enforcement_level=EnforcementLevel.MANDATORY if mandatory else EnforcementLevel.ADVISORY,
        severity=Severity.HIGH if mandatory else Severity.LOW,
        remediation_steps=rule.fix,
        url=source_url(rule),
        tags=[*_TAGS, topics.get(rule.id, "waivers")],
    )


def _why_not_passed(rule: Rule, report: Report) -> str | None:
    untold = (f"a policy pack is not told {each}" for each in report.not_evaluated if each.rule is rule)
    undecided = (each for each in report.findings if each.rule is rule and each.status == "undecided")
    return next(chain(untold, (each.observation.message for each in undecided)), None)


def _own_policy(
    name: str, title: str, description: str, judge: Judge, violations: Callable[[Report], Texts]
) -> Policy:
    # Apart from the rules' own policies, because what is said here must be seen and must not stop a preview,
    # and one policy has one level of enforcement.
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        for urn, text in violations(judge.report(name, args.resources)):
            report(text, urn)

    return StackValidationPolicy(
        name=name,
        display_name=title,
        description=description,
        validate=validate,
        enforcement_level=EnforcementLevel.ADVISORY,
        severity=Severity.LOW,
        tags=_TAGS,
    )
