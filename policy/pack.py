"""The rules as Pulumi policies: one stack policy per rule.

A stack policy is told the edges between resources, but as properties only outputs, which are empty in a
preview while the provider's configuration is unknown. A resource policy is told the inputs. So one resource
policy collects inputs, and the stack policies join the two by URN.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy import Severity as PolicySeverity

from policy.wording import (
    Texts,
    advice_texts,
    not_evaluated_texts,
    rule_texts,
    source_url,
    undecided_texts,
    waived_texts,
)
from resource_graph.policy_host import policy_graph, policy_inputs
from rules.catalogue import rules_on, run_rules
from rules.model import Report
from rules.rule import Rule, Severity

INPUTS_POLICY = "resource-inputs"
"""Name of the policy that collects what the rules look at."""


class Judge:
    """The rules' report on the stack that the host shows at the moment.

    The host asks one policy after another about the same stack, and builds the stack anew for each.
    """

    def __init__(self, rules: Sequence[Rule], today: dt.date) -> None:
        self._rules = rules
        self._today = today
        self._inputs: dict[str, Mapping[str, Any]] = {}
        self._report: Report | None = None
        self._asked: set[str] = set()

    def learn(self, args: ResourceValidationArgs, _: ReportViolation) -> None:
        """Remember a resource's inputs; what was said before is about another stack."""
        self._inputs[args.urn] = policy_inputs(args.props)
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
        for rule, error in report.broken.items():
            raise RuntimeError(f"rule {rule.id} is broken: {error!r}") from error
        return report


def policies(rules: Sequence[Rule] | None = None, *, today: dt.date) -> list[Policy]:
    """The policies of the pack, each enforced as its rule says unless the pack's configuration differs.

    `rules` is None for all of them; `today` decides which of a stack's waivers hold.
    """
    judging = rules_on(today) if rules is None else rules
    judge = Judge(judging, today)
    return [
        ResourceValidationPolicy(
            name=INPUTS_POLICY,
            display_name="Reads the inputs that the rules look at",
            description="Never finds anything itself; without it no rule judges: disabling it is an error.",
            validate=judge.learn,
            enforcement_level=EnforcementLevel.ADVISORY,
        ),
        *(
            _policy(
                judge,
                rule.id,
                partial(rule_texts, rule),
                title=rule.title,
                description=rule.reason,
                rule=rule,
            )
            for rule in judging
        ),
        # Apart from the rules' own policies, because what is said here must be seen and must not stop a
        # preview, and one policy has one level of enforcement.
        _policy(
            judge,
            "advice",
            advice_texts,
            title="Advice of rules that can also stop a deployment",
            description="This costs speed or money, and nothing is stopped",
        ),
        _policy(
            judge,
            "undecided",
            undecided_texts,
            title="Rules that could not decide",
            description="A value that these rules need is unknown",
        ),
        _policy(
            judge,
            "waived",
            waived_texts,
            title="Findings that the stack's settings waive",
            description="Findings that the stack's settings waive for a time",
        ),
        _policy(
            judge,
            "not-evaluated",
            not_evaluated_texts,
            title="Rules that only `dynamo-stack check` judges",
            description="These rules have neither passed nor failed",
        ),
    ]


def _why_not_passed(rule: Rule, report: Report) -> str | None:
    if rule in report.not_evaluated:
        return f"a policy pack is not told {', '.join(report.not_evaluated[rule])}"
    undecided = (each for each in report.findings if each.rule is rule and each.status == "undecided")
    return next((each.observation.message for each in undecided), None)


def _policy(
    judge: Judge,
    name: str,
    violations: Callable[[Report], Texts],
    *,
    title: str,
    description: str,
    rule: Rule | None = None,
) -> Policy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        judged = judge.report(name, args.resources)
        said = tuple(violations(judged))
        for urn, text in said:
            report(text, urn)
        reason = None if said or rule is None else _why_not_passed(rule, judged)
        if reason is not None:
            # Without a violation the engine would count the rule among those that passed.
            args.not_applicable(reason)

    mandatory = rule is not None and rule.severity is Severity.MANDATORY
    return StackValidationPolicy(
        name=name,
        display_name=title,
        description=description,
        validate=validate,
        enforcement_level=EnforcementLevel.MANDATORY if mandatory else EnforcementLevel.ADVISORY,
        severity=PolicySeverity.HIGH if mandatory else PolicySeverity.LOW,
        tags=["dynamo", "kubernetes", "gpu"],
        remediation_steps=rule.fix if rule else None,
        url=source_url(rule) if rule else None,
    )
