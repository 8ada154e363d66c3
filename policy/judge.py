"""Runs the rules once for all policies of one stack."""

import datetime as dt
from collections.abc import Mapping, Sequence

from pulumi_policy import PolicyResource

from resource_graph import Value
from resource_graph.policy_host import policy_graph
from rules.model import Report, Rule
from rules.run import run_rules

INPUTS_POLICY = "resource-inputs"
"""Name of the policy that collects what the rules look at."""


class Judge:
    """What the rules say of the stack that the host shows at the moment.

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

        Args:
            policy: name of the policy that asks. None asks twice about one stack, so a second question
                begins a new one.
            resources: what the host tells a stack policy.

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
