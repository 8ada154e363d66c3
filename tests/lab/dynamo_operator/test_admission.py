"""What the webhooks refuse on create and update, and what they fill in."""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

import pytest

from lab.dynamo_operator.admission import mutate
from lab.dynamo_operator.conversion import V1ALPHA1, V1BETA1, convert, converted
from tests.lab.dynamo_operator.reviews import Change, refusal, review
from tests.lab.fixtures.graphs import toy_graph, worker

SERVICE = "spec.services[Decode]"
ANNOTATIONS = f"{SERVICE}.annotations[nvidia.com/"


def decode(**fields: Any) -> Change:
    return toy_graph(Decode=worker("decode", "4", **fields))


def spec(**fields: Any) -> Change:
    graph = toy_graph()
    graph["spec"] |= fields
    return graph


def annotated(key: str, value: str) -> Change:
    graph = toy_graph()
    graph["metadata"]["annotations"] = {f"nvidia.com/{key}": value}
    return graph


def deleted(graph: Change) -> Change:
    graph["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return graph


def without(name: str) -> Change:
    graph = toy_graph()
    del graph["spec"]["services"][name]
    return graph


EXECUTOR = "nvidia.com/vllm-distributed-executor-backend"
MOUNT = {"name": "cache", "mountPoint": "/models"}
# What passes, what is refused, and how the refusal begins.
RULES: list[tuple[Change, Change, str]] = [
    (toy_graph(), spec(services={}), "spec.services must have at least one service"),
    *(
        (
            annotated(key, good),
            annotated(key, bad),
            f'annotations[nvidia.com/{key}] has invalid value "{bad}"',
        )
        for key, good, bad in (
            ("dynamo-operator-origin-version", "1.2.1", "latest"),
            ("vllm-distributed-executor-backend", "RAY", "uni"),
            ("dynamo-kube-discovery-mode", "pod", "node"),
        )
    ),
    (decode(annotations={EXECUTOR: "mp"}), decode(annotations={EXECUTOR: "uni"}), f"{ANNOTATIONS}vllm-"),
    (
        decode(volumeMounts=[MOUNT]),
        decode(volumeMounts=[{"name": "cache"}]),
        f"{SERVICE}.volumeMounts[0].mountPoint is required when useAsCompilationCache is false",
    ),
    (
        decode(sharedMemory={"disabled": True}),
        decode(sharedMemory={"size": "0"}),
        f"{SERVICE}.sharedMemory.size is required when disabled is false",
    ),
]
UPDATES: list[tuple[Change, Change, str]] = [
    (toy_graph(), spec(backendFramework="vllm"), "spec.backendFramework is immutable"),
    (
        decode(replicas=3),
        toy_graph(Planner=worker("decode", "1")),
        "service topology is immutable and cannot be modified after creation: services added: [Planner]",
    ),
    (
        deleted(spec(services={})),
        without("Prefill"),
        "service topology is immutable and cannot be modified after creation: services removed: [Prefill]",
    ),
    (
        decode(replicas=3),
        decode(multinode={"nodeCount": 2}),
        f"{SERVICE} cannot change node topology between single-node and multi-node",
    ),
]


@pytest.mark.parametrize(("passing", "refused", "message"), RULES)
def test_a_graph_that_breaks_a_rule_is_refused_in_a_plain_sentence(
    passing: Change, refused: Change, message: str
) -> None:
    assert refusal(passing) is None
    assert (refusal(refused) or "admitted").startswith(message)


@pytest.mark.parametrize(("passing", "refused", "message"), UPDATES)
def test_an_update_may_not_change_what_is_fixed(passing: Change, refused: Change, message: str) -> None:
    assert refusal(passing, toy_graph()) is None
    assert (refusal(refused, toy_graph()) or "admitted").startswith(message)


NOT_SIMULATED: list[tuple[Change, str]] = [
    (spec(restart={"id": "1"}), "spec.restart"),
    (spec(pvcs=[{"name": "cache", "create": True}]), "spec.pvcs[0].create"),
    (decode(componentType="epp"), f"{SERVICE}.componentType epp"),
    *(
        (decode(**{field: {"enabled": True}}), f"{SERVICE}.{field}")
        for field in ("gpuMemoryService", "failover", "checkpoint", "frontendSidecar", "scalingAdapter")
    ),
    (
        decode(volumeMounts=[MOUNT | {"useAsCompilationCache": True}]),
        f"{SERVICE}.volumeMounts[].useAsCompilationCache",
    ),
    (decode(resources={"limits": {"gpuType": "mig"}}), f"{SERVICE}.resources.limits.gpuType"),
]


@pytest.mark.parametrize(("graph", "field"), NOT_SIMULATED)
def test_a_field_that_is_not_simulated_is_refused_and_not_forgotten(graph: Change, field: str) -> None:
    assert refusal(graph) == f"SIMULATED CLUSTER: {field} is not simulated"


@pytest.mark.parametrize(
    ("field", "value"), [("experimental", {}), ("topologyConstraint", {}), ("type", "epp")]
)
def test_the_same_holds_of_v1beta1_where_the_conversion_refuses_it(field: str, value: object) -> None:
    graph = converted(toy_graph(), V1BETA1)
    graph["spec"]["components"][0][field] = value
    request = {"uid": "1", "desiredAPIVersion": V1ALPHA1, "objects": [graph]}
    answer = convert({"apiVersion": "v1", "kind": "ConversionReview", "request": request})["response"]
    assert answer["result"]["status"] == "Failed"
    assert f"SIMULATED CLUSTER: spec.components[Decode].{field}" in answer["result"]["message"]


def patched(graph: Change) -> dict[str, Any]:
    """Path -> what the mutating webhook adds there."""
    response = mutate(review(graph), "1.2.1")["response"]
    assert response["allowed"] is True
    patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
    assert all(each["op"] == "add" for each in patch)
    return {each["path"]: each["value"] for each in patch}


ORIGIN = "/metadata/annotations/nvidia.com~1dynamo-operator-origin-version"


def test_one_replica_and_the_origin_version_are_filled_in_where_they_lack() -> None:
    graph = toy_graph()
    del graph["spec"]["services"]["Prefill"]["replicas"]
    added = {"/spec/services/Prefill/replicas": 1, "/metadata/annotations": {}, ORIGIN: "1.2.1"}
    assert patched(copy.deepcopy(graph)) == added
    assert patched(annotated("enable-metrics", "false")) == {ORIGIN: "1.2.1"}
    assert patched(annotated("dynamo-operator-origin-version", "1.0.0")) == {}
