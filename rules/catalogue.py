"""All rules by topic, in the order in which their findings are shown, and how a graph is put before them."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from resource_graph import ResourceGraph
from rules import cache, engine, lifecycle, quantization, security, structure, topology
from rules.model import BrokenRule, Finding, NotEvaluated, Report, Waiver
from rules.reading.typed_settings import is_named, settings_behind
from rules.rule import Observation, Rule, Status
from rules.waivers import RULE_ID, active_waivers, waiver_rule


@dataclass(frozen=True, slots=True)
class Topic:
    """Rules about one side of a deployment."""

    name: str
    """Name of the package that holds the topic's rules."""
    question: str
    """Question of a person that the topic's rules answer."""
    rules: tuple[Rule, ...]


TOPICS: tuple[Topic, ...] = (
    Topic("structure", "Does the API server take it, as it was meant?", structure.RULES),
    Topic("topology", "Does every pod get the GPUs, the nodes and the fabric that it needs?", topology.RULES),
    Topic("quantization", "Do formats, kernels and memory suit the GPU?", quantization.RULES),
    Topic("engine", "Does the engine start with these settings, and do they have an effect?", engine.RULES),
    Topic("cache", "Does every pod find the model, the same revision of it?", cache.RULES),
    Topic("lifecycle", "Can it be updated and taken down again?", lifecycle.RULES),
    Topic("security", "Is anything open, privileged or readable that need not be?", security.RULES),
)

RULES: tuple[Rule, ...] = tuple(rule for topic in TOPICS for rule in topic.rules)
"""The rules that judge a deployment, each of which can be waived."""


def rules_on(today: dt.date) -> tuple[Rule, ...]:
    """All rules, and the one that judges the waivers on that day."""
    return (*RULES, waiver_rule([rule.id for rule in RULES], today))


def run_rules(graph: ResourceGraph, rules: Iterable[Rule], *, today: dt.date) -> Report:
    """Every finding of every rule, in the order of the rules.

    A rule that raises is defective and reported as broken, because leaving the rule out would look like
    a pass; no waiver covers a broken rule.

    Args:
        graph: what is judged.
        rules: what it is judged by.
        today: decides which of the graph's waivers hold; rules themselves read no clock.
    """
    waivers = active_waivers(graph, today)
    findings: list[Finding] = []
    broken: list[BrokenRule] = []
    not_evaluated: list[NotEvaluated] = []
    for rule in rules:
        missing = rule.reads & graph.lacks
        if missing:
            not_evaluated.append(NotEvaluated(rule, missing))
            continue
        try:
            observations = tuple(rule.check(graph))
        except MemoryError:
            # The input is too large for this process, which is no defect of the rule.
            raise
        except Exception as error:
            broken.append(BrokenRule(rule, error))
            continue
        findings.extend(_finding(graph, rule, observation, waivers) for observation in observations)
    return Report(tuple(findings), tuple(broken), tuple(not_evaluated))


def _finding(
    graph: ResourceGraph, rule: Rule, observation: Observation, waivers: Mapping[str, Waiver]
) -> Finding:
    has_failed = observation.status is Status.FAILED
    message = observation.message
    settings = settings_behind(graph, observation.resource, observation.subject, message)
    unnamed = [each for each in settings if not is_named(each, message)] if has_failed else []
    if unnamed:
        observation = replace(observation, message=f"{message} ({', '.join(unnamed)})")
    waiver = waivers.get(rule.id) if has_failed and rule.id != RULE_ID else None
    return Finding(rule, observation, waiver, settings)
