"""What the webhooks refuse on create and update, and what they fill in."""

from typing import Any

import pytest

from lab.dynamo_operator.conversion import V1ALPHA1, V1BETA1, convert, converted
from tests.lab.dynamo_operator.reviews import Change, conversion, refusal
from tests.lab.fixtures.graphs import toy_graph, worker

SERVICE = "spec.services[Decode]"
FIXED = "service topology is immutable and cannot be modified after creation: services"


def decode(**fields: Any) -> Change:
    return toy_graph(Decode=worker("decode", "4", **fields))


def spec(**fields: Any) -> Change:
    graph = toy_graph()
    graph["spec"] |= fields
    return graph


def without(name: str) -> Change:
    graph = toy_graph()
    del graph["spec"]["services"][name]
    return graph


# What is refused, of a graph that was there before or of a new one, and how the refusal begins.
RULES: list[tuple[Change, Change | None, str]] = [
    (spec(services={}), None, "spec.services must have at least one service"),
    (
        decode(volumeMounts=[{"name": "cache"}]),
        None,
        f"{SERVICE}.volumeMounts[0].mountPoint is required when useAsCompilationCache is false",
    ),
    (spec(backendFramework="vllm"), toy_graph(), "spec.backendFramework is immutable"),
    (toy_graph(Other=worker("decode", "1")), toy_graph(), f"{FIXED} added: [Other]"),
    (without("Prefill"), toy_graph(), f"{FIXED} removed: [Prefill]"),
]


@pytest.mark.parametrize(("graph", "old", "message"), RULES, ids=[each[2] for each in RULES])
def test_a_graph_that_breaks_a_rule_is_refused_in_a_plain_sentence(
    graph: Change, old: Change | None, message: str
) -> None:
    assert (refusal(graph, old) or "admitted").startswith(message)


def test_a_graph_may_scale_and_one_that_is_being_deleted_may_lose_its_finalizer() -> None:
    mount = {"name": "cache", "mountPoint": "/models"}
    assert refusal(decode(replicas=3, volumeMounts=[mount]), toy_graph()) is None
    going = spec(services={})
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert refusal(going, toy_graph()) is None


NOT_SIMULATED: list[tuple[Change, str]] = [
    (spec(restart={"id": "1"}), "spec.restart"),
    (spec(labels={"a": "b"}), "spec.labels"),
    (spec(pvcs=[{"name": "cache", "create": True}]), "spec.pvcs[0].create"),
    (decode(componentType="main"), f"{SERVICE}.componentType main"),
    (decode(multinode={"nodeCount": 2}), f"{SERVICE}.multinode"),
    (decode(frontendSidecar={"enabled": True}), f"{SERVICE}.frontendSidecar"),
    (decode(sharedMemory={"disabled": True}), f"{SERVICE}.sharedMemory.disabled"),
    (
        decode(volumeMounts=[{"name": "cache", "useAsCompilationCache": True}]),
        f"{SERVICE}.volumeMounts[].useAsCompilationCache",
    ),
    (decode(resources={"limits": {"gpuType": "mig"}}), f"{SERVICE}.resources.limits.gpuType"),
]


@pytest.mark.parametrize(("graph", "field"), NOT_SIMULATED, ids=[each[1] for each in NOT_SIMULATED])
def test_a_field_that_is_not_simulated_is_refused_and_not_forgotten(graph: Change, field: str) -> None:
    assert refusal(graph) == f"SIMULATED CLUSTER: {field} is not simulated"


@pytest.mark.parametrize(("field", "value"), [("experimental", {}), ("type", "epp"), ("sharedMemorySize", 0)])
def test_the_same_holds_of_v1beta1_where_the_conversion_refuses_it(field: str, value: object) -> None:
    graph = converted(toy_graph(), V1BETA1)
    graph["spec"]["components"][0][field] = value
    result = convert(conversion(V1ALPHA1, graph))["response"]["result"]
    assert result["status"] == "Failed"
    assert f"SIMULATED CLUSTER: spec.components[Decode].{field}" in result["message"]
