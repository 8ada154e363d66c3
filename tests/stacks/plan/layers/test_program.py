"""What a stack of some layers registers, and what the rules say of it."""

import datetime as dt
import functools

import pytest

from resource_graph import ResourceGraph, has_unknown
from rules.catalogue import rules_on, run_rules
from rules.model import Severity, Status
from stacks.plan.stack_plan import waited_for
from stacks.updates.deployed import Deployed
from stacks.updates.planned_update import planned_update
from tests.stacks.plan.layers.settings import layered, on_existing_cluster
from tests.support.dev_settings import resolved
from tests.support.recordings import recorded_stack

TODAY = dt.date(2026, 11, 21)
ALL = ("infrastructure", "platform", "serving")
PAIRS = (("infrastructure", "platform"), ("platform", "serving"))
REFERENCE = "pulumi:pulumi:StackReference"
_IN_EACH = ("pulumi:", "dynamo-stack:")


@functools.cache
def recorded(*layers: str, lifecycle: str = "production") -> ResourceGraph:
    return recorded_stack(resolved(layered(*layers, lifecycle=lifecycle)))


def registered(*layers: str) -> set[tuple[str, str]]:
    """Type and name of everything but bookkeeping."""
    return {(each.type, each.name) for each in recorded(*layers) if not each.type.startswith(_IN_EACH)}


def test_three_stacks_register_between_them_what_one_would_and_nothing_twice() -> None:
    parts = [registered(layer) for layer in ALL]
    assert set.union(*parts) == registered(*ALL)
    assert sum(len(part) for part in parts) == len(registered(*ALL))


@pytest.mark.parametrize("division", PAIRS)
def test_what_two_layers_register_together_is_what_they_register_apart(division: tuple[str, ...]) -> None:
    assert registered(*division) == set.union(*(registered(layer) for layer in division))


@pytest.mark.parametrize(
    ("division", "joined"),
    [
        (("infrastructure",), []),
        (("platform",), [("infrastructure-layer", "organization/dynamo-stack/base")]),
        (
            ("serving",),
            [
                ("infrastructure-layer", "organization/dynamo-stack/base"),
                ("platform-layer", "organization/dynamo-stack/dynamo"),
            ],
        ),
    ],
)
def test_the_join_is_a_reference_in_the_state(
    division: tuple[str, ...], joined: list[tuple[str, str]]
) -> None:
    references = recorded(*division).of_type(REFERENCE)
    assert sorted((each.name, each.inputs["name"]) for each in references) == joined


def test_a_joined_stack_reaches_the_cluster_by_what_its_owner_exports() -> None:
    graph = recorded("serving")
    [provider] = graph.of_type("pulumi:providers:kubernetes")
    assert has_unknown(provider.inputs["kubeconfig"])
    assert provider.inputs["clusterIdentifier"] == "gpt-oss"
    assert graph.of_type("pulumi:providers:aws") == ()


def test_the_volume_of_the_cache_is_serving_s_and_its_file_system_is_not() -> None:
    volume = recorded("serving").kubernetes_objects("PersistentVolume")
    assert [has_unknown(each.inputs["spec"]) for each in volume] == [True]
    assert recorded("infrastructure").of_type("aws:fsx/lustreFileSystem:LustreFileSystem")
    assert not recorded("infrastructure").kubernetes_objects("PersistentVolumeClaim")


def test_a_graph_is_made_after_the_reference_to_its_operator() -> None:
    graph = recorded("serving")
    [served] = graph.kubernetes_objects("DynamoGraphDeployment")
    platform = next(each for each in graph.of_type(REFERENCE) if each.name == "platform-layer")
    assert graph.depends_on(served, platform)


def test_who_may_connect_to_nats_is_written_by_the_platform_s_stack_alone() -> None:
    policies = {
        layer: [each.object_name for each in recorded(layer).kubernetes_objects("NetworkPolicy")]
        for layer in ("platform", "serving")
    }
    assert policies["platform"] == ["dynamo-nats"]
    assert "dynamo-nats" not in policies["serving"]


@pytest.mark.parametrize("lifecycle", ["production", "disposable"])
@pytest.mark.parametrize("layer", ALL)
def test_no_mandatory_rule_fails_or_is_undecided_because_a_layer_is_another_stack_s(
    layer: str, lifecycle: str
) -> None:
    # As the other tests ask for it, so that it is recorded once.
    graph = recorded(layer) if lifecycle == "production" else recorded(layer, lifecycle=lifecycle)
    report = run_rules(graph, rules_on(TODAY), today=TODAY)
    bad = {
        finding.rule.id
        for finding in report.findings
        if finding.observation.status is Status.UNDECIDED or finding.severity is Severity.MANDATORY
    }
    assert (bad, report.broken) == (set(), ())


def test_a_graph_waits_for_the_window_of_nodes_that_another_stack_makes() -> None:
    settings = layered("serving")
    settings["nodePools"][0]["purchase"] |= {"phase": "waiting"}
    graph = recorded_stack(resolved(settings))
    assert graph.kubernetes_objects("DynamoGraphDeployment") == ()
    assert graph.kubernetes_objects("Job")


def test_on_a_cluster_that_exists_the_platform_s_reference_is_the_only_one() -> None:
    graph = recorded_stack(resolved(on_existing_cluster("serving")))
    assert [each.name for each in graph.of_type(REFERENCE)] == ["platform-layer"]
    assert not has_unknown(graph.of_type("pulumi:providers:kubernetes")[0].inputs)


def test_a_stack_without_a_graph_waits_for_no_window_and_still_says_what_is_idle() -> None:
    settings = layered("infrastructure")
    settings["nodePools"][0]["purchase"] |= {"phase": "waiting"}
    stack = resolved(settings)
    assert waited_for(stack) == ()
    texts = [notice.text for notice in planned_update(stack, Deployed()).notices]
    assert any("pool b200" in text for text in texts)
    assert not any("no graph" in text for text in texts)


def test_the_end_of_a_block_reaches_the_alerts_of_a_stack_that_only_serves() -> None:
    settings = layered("serving")
    settings["cluster"]["monitoring"] = True
    settings["nodePools"][0]["purchase"] |= {"phase": "active", "ends": "2026-12-08T11:30:00Z"}
    block = settings["nodePools"][0]["purchase"]["id"]
    alerts = [each for each in recorded_stack(resolved(settings)) if each.kind == "PrometheusRule"]
    assert any(block in str(each.inputs) for each in alerts)
