"""Puts a graph before the rules."""

from collections.abc import Iterable

from resource_graph import ResourceGraph
from rules.model import BrokenRule, Finding, Report, Rule


def run_rules(graph: ResourceGraph, rules: Iterable[Rule]) -> Report:
    """Every finding of every rule, in the order of the rules.

    A rule that raises is a defect of the rule. It is reported as broken, because to leave it out would
    look like a pass.
    """
    findings: list[Finding] = []
    broken: list[BrokenRule] = []
    for rule in rules:
        try:
            observations = tuple(rule.check(graph))
        except Exception as error:
            broken.append(BrokenRule(rule, error))
            continue
        findings.extend(Finding(rule, observation) for observation in observations)
    return Report(tuple(findings), tuple(broken))
