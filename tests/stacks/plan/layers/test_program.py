"""What a stack of some layers registers, and what the rules say of it."""

import datetime as dt

import pytest

from resource_graph import ResourceGraph, has_unknown
from rules.catalogue import rules_on, run_rules
from rules.rule import Severity
from stacks.plan.stack_plan import waited_for
from stacks.updates.comparable_graph import graph_of
from stacks.updates.planned_update import planned_update
from stacks.updates.running import Running
from tests.stacks.changed_settings import changed, phase
from tests.stacks.plan.layers.settings import ALL, layered
from tests.support.dev_settings import resolved
from tests.support.recordings import recorded_stack

TODAY = dt.date(2026, 11, 21)
_IN_EACH = ("pulumi:", "dynamo-stack:")


def _recorded(*layers: str, lifecycle: str = "production") -> ResourceGraph:
    return recorded_stack(resolved(layered(*layers, lifecycle=lifecycle)))


def _registered(*layers: str) -> list[tuple[str, str]]:
    """Type and name of everything but bookkeeping."""
    return [(each.type, each.name) for each in _recorded(*layers) if not each.type.startswith(_IN_EACH)]


@pytest.mark.parametrize(
    "division", [ALL, ("infrastructure", "platform"), ("platform", "serving")], ids=", ".join
)
def test_layers_register_apart_what_they_register_together_and_nothing_twice(
    division: tuple[str, ...],
) -> None:
    apart = [each for layer in division for each in _registered(layer)]
    assert sorted(apart) == sorted(_registered(*division))


def test_the_volume_of_the_cache_is_serving_s_and_its_file_system_is_not() -> None:
    volume = _recorded("serving").kubernetes_objects("PersistentVolume")
    assert [has_unknown(each.inputs["spec"]) for each in volume] == [True]
    assert _recorded("infrastructure").of_type("aws:fsx/lustreFileSystem:LustreFileSystem")
    assert not _recorded("infrastructure").kubernetes_objects("PersistentVolumeClaim")


def test_a_graph_is_made_after_the_reference_to_its_operator() -> None:
    graph = _recorded("serving")
    [served] = graph.kubernetes_objects("DynamoGraphDeployment")
    platform = next(
        each for each in graph.of_type("pulumi:pulumi:StackReference") if each.name == "platform-layer"
    )
    assert graph.depends_on(served, platform)


def test_a_joined_stack_reaches_the_cluster_by_what_its_owner_exports() -> None:
    graph = _recorded("serving")
    [provider] = graph.of_type("pulumi:providers:kubernetes")
    assert has_unknown(provider.inputs["kubeconfig"])
    assert provider.inputs["clusterIdentifier"] == "gpt-oss"
    assert graph.of_type("pulumi:providers:aws") == ()


def test_who_may_connect_to_nats_is_written_by_the_platform_s_stack_alone() -> None:
    policies = {
        layer: [each.object_name for each in _recorded(layer).kubernetes_objects("NetworkPolicy")]
        for layer in ("platform", "serving")
    }
    assert policies["platform"] == ["dynamo-nats"]
    assert "dynamo-nats" not in policies["serving"]


@pytest.mark.parametrize("lifecycle", ["production", "disposable"])
@pytest.mark.parametrize("layer", ALL)
def test_no_mandatory_rule_fails_or_is_undecided_because_a_layer_is_another_stack_s(
    layer: str, lifecycle: str
) -> None:
    report = run_rules(_recorded(layer, lifecycle=lifecycle), rules_on(TODAY), today=TODAY)
    bad = {
        finding.rule.id
        for finding in report.findings
        if finding.observation.status == "undecided" or finding.severity is Severity.MANDATORY
    }
    assert (bad, report.broken) == (set(), {})


def test_a_graph_waits_for_the_window_of_nodes_that_another_stack_makes() -> None:
    graph = recorded_stack(resolved(changed(layered("serving"), phase("waiting"))))
    assert graph.kubernetes_objects("DynamoGraphDeployment") == ()
    assert graph.kubernetes_objects("Job")


def test_a_stack_without_a_graph_waits_for_no_window_and_still_says_what_is_idle() -> None:
    stack = resolved(changed(layered("infrastructure"), phase("waiting")))
    assert waited_for(stack) == ()
    texts = [notice.text for notice in planned_update(stack, graph_of(stack), Running()).notices]
    assert any("pool b200" in text for text in texts)
    assert not any("no graph" in text for text in texts)


def test_the_end_of_a_block_reaches_the_alerts_of_a_stack_that_only_serves() -> None:
    ends = {"cluster.monitoring": True, "nodePools[0].purchase.ends": "2027-12-08T11:30:00Z"}
    settings = changed(layered("serving"), ends)
    alerts = [each for each in recorded_stack(resolved(settings)) if each.kind == "PrometheusRule"]
    assert any(settings["nodePools"][0]["purchase"]["id"] in str(each.inputs) for each in alerts)
