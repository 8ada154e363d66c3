import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from resource_graph import UNKNOWN, Resource, ResourceGraph
from rules.catalogue import rules_on, run_rules
from rules.rule import Advice, Observation, Rule, Severity, failed, observed, undecided
from tests.rules.judging import TODAY

ROOT = Path(__file__).parents[2]
THING = Resource(urn="thing", type="a:b:Thing", name="thing", inputs={})
GRAPH = ResourceGraph([THING])


Check = Callable[[ResourceGraph], Iterator[Observation]]


def rule(rule_id: str, check: Check, severity: Severity = Severity.MANDATORY) -> Rule:
    return Rule(
        id=rule_id,
        title=rule_id,
        module=__name__,
        severity=severity,
        reason="",
        source="",
        lines=(),
        fix="",
        check=check,
    )


def says_failed(graph: ResourceGraph) -> Iterator[Observation]:
    return (failed(resource, resource.name, "bad") for resource in graph)


def says_undecided(graph: ResourceGraph) -> Iterator[Observation]:
    return (undecided(resource, resource.name, "unknown") for resource in graph)


def breaks_halfway(graph: ResourceGraph) -> Iterator[Observation]:
    yield failed(THING, "thing", "bad")
    raise KeyError("forgotten")


def test_a_rule_that_raises_is_broken_and_stops_while_the_others_still_judge() -> None:
    report = run_rules(
        GRAPH, [rule("broken", breaks_halfway, Severity.ADVISORY), rule("works", says_undecided)], today=TODAY
    )
    assert [broken.id for broken in report.broken] == ["broken"]
    assert [finding.rule.id for finding in report.findings] == ["works"]
    assert report.stops


def says_advised(graph: ResourceGraph) -> Iterator[Observation]:
    return (observed(resource, resource.name, Advice("slow")) for resource in graph)


@pytest.mark.parametrize(
    ("check", "severity", "stops"),
    [
        (says_failed, Severity.MANDATORY, True),
        (says_failed, Severity.ADVISORY, False),
        (says_undecided, Severity.MANDATORY, False),
        (says_advised, Severity.MANDATORY, False),
    ],
)
def test_only_a_failed_mandatory_rule_stops(check: Check, severity: Severity, *, stops: bool) -> None:
    assert run_rules(GRAPH, [rule("r", check, severity)], today=TODAY).stops is stops


def test_no_rule_finds_anything_in_an_empty_graph() -> None:
    report = run_rules(ResourceGraph([]), rules_on(TODAY), today=TODAY)
    assert (report.findings, report.broken) == ((), {})


def test_a_label_of_which_only_the_update_knows_a_part_breaks_no_rule() -> None:
    pod = {"metadata": {"labels": {"app": {"id": UNKNOWN}}}, "spec": {"containers": [{"name": "main"}]}}
    spec = {"selector": {"matchLabels": {"app": "chat"}}, "template": pod}
    inputs = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "chat"}, "spec": spec}
    chat = Resource(urn="chat", type="kubernetes:apps/v1:Deployment", name="chat", inputs=inputs)
    assert run_rules(ResourceGraph([chat]), rules_on(TODAY), today=TODAY).broken == {}


def test_rules_are_loaded_without_pulumi() -> None:
    code = "import sys, rules.catalogue; sys.exit('pulumi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
