from pathlib import Path
from typing import Any

import pytest
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.policy import _PolicyAnalyzerServicer

from cli.project import recorded_stack, resolved_stack
from policy.pack import policies
from resource_graph import Resource, ResourceGraph
from resource_graph.policy_host import policy_graph, policy_inputs
from resource_graph.recorder import record
from rules.catalogue import rules_on
from rules.model import Rule, Severity
from tests.policy.analyzer import engine_requests
from tests.resource_graph import toy_program
from tests.rules.judging import TODAY


def through_the_host(graph: ResourceGraph) -> ResourceGraph:
    """What a pack's two kinds of policy are told about the graph, joined again."""
    inputs: dict[str, Any] = {}
    joined: list[ResourceGraph] = []

    def collect(args: ResourceValidationArgs, report: object) -> None:
        inputs[args.urn] = policy_inputs(args.props)

    def join(args: StackValidationArgs, report: object) -> None:
        joined.append(policy_graph(args.resources, inputs))

    run([ResourceValidationPolicy("a", "a", collect), StackValidationPolicy("b", "b", join)], graph)
    return joined[0]


def run(pack: list[Policy], graph: ResourceGraph) -> None:
    servicer = _PolicyAnalyzerServicer("pack", "1", pack, EnforcementLevel.ADVISORY)
    requests = engine_requests(graph)
    for request in requests.resources:
        servicer.Analyze(request, None)
    servicer.AnalyzeStack(requests.stack, None)


def comparable(resource: Resource) -> tuple[object, ...]:
    return (
        resource.urn,
        resource.type,
        resource.name,
        resource.inputs,
        resource.custom,
        resource.parent,
        resource.provider,
        resource.dependencies,
        resource.property_dependencies,
        resource.protect,
        resource.custom_timeouts,
    )


def test_recorder_and_policy_host_tell_the_same_graph_of_a_toy() -> None:
    graph = record(toy_program.program, project=toy_program.PROJECT, stack=toy_program.STACK)
    hosted = through_the_host(graph)
    assert [comparable(resource) for resource in hosted] == [comparable(resource) for resource in graph]


def test_recorder_and_policy_host_tell_the_same_graph_of_stack_dev(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    graph = recorded_stack(resolved_stack("dev"))
    hosted = through_the_host(graph)
    assert [comparable(resource) for resource in hosted] == [comparable(resource) for resource in graph]


def test_the_policy_host_claims_nothing_about_secrets_and_retention() -> None:
    graph = record(toy_program.program, project=toy_program.PROJECT, stack=toy_program.STACK)
    assert {(item.secret_paths, item.retain_on_delete) for item in through_the_host(graph)} == {(None, None)}


def test_a_broken_rule_ends_the_preview_whatever_its_level() -> None:
    def breaks(graph: ResourceGraph) -> list[Any]:
        raise KeyError("forgotten")

    rule = Rule(
        id="breaks", title="breaks", severity=Severity.ADVISORY, reason="", source="", fix="", check=breaks
    )
    with pytest.raises(RuntimeError, match="rule breaks is broken: KeyError"):
        run(policies([rule], today=TODAY), ResourceGraph([]))


def test_the_pack_has_one_policy_a_rule_and_three_of_its_own() -> None:
    names = [policy.name for policy in policies(today=TODAY)]
    assert names == ["resource-inputs", *(rule.id for rule in rules_on(TODAY)), "undecided", "waived"]
