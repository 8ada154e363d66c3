"""The expanded CRD: what it accepts, refuses and sees."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from lab.custom_resources import (
    GRAPH_VERSIONS,
    cluster_definitions,
    custom_resource_definition,
    custom_resource_definitions,
)
from lab.operator_lines import operator_line
from tests.lab_fixtures.graphs import toy_graph, worker


def closed(schema: Any) -> Any:
    """The structural schema with unknown fields refused, as the API server's strict validation has it."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and not schema.get("x-kubernetes-preserve-unknown-fields"):
        result.setdefault("additionalProperties", False)
    return result


def definition(kind: str = "DynamoGraphDeployment") -> dict[str, Any]:
    return next(
        crd
        for crd in custom_resource_definitions(operator_line("1.2.1"))
        if crd["spec"]["names"]["kind"] == kind
    )


def complaints(graph: dict[str, Any]) -> list[str]:
    version, _ = definition()["spec"]["versions"]
    validator = Draft202012Validator(closed(version["schema"]["openAPIV3Schema"]))
    return [error.message for error in validator.iter_errors(graph)]


@pytest.mark.parametrize("kind", ["DynamoGraphDeployment", "DynamoComponentDeployment"])
def test_both_versions_are_served_and_v1alpha1_is_stored(kind: str) -> None:
    crd = definition(kind)
    assert crd["metadata"]["name"] == f"{kind.lower()}s.nvidia.com"
    assert [(each["name"], each["served"], each["storage"]) for each in crd["spec"]["versions"]] == [
        ("v1alpha1", True, True),
        ("v1beta1", True, False),
    ]
    # The operator writes it when it starts, as the real one does.
    assert "conversion" not in crd["spec"]


@pytest.mark.parametrize("line", ["Dynamo 1.2", "Dynamo 1.3", "Dynamo 1.4", "Dynamo 1.5 (development)"])
def test_no_mark_of_a_cut_type_is_left(line: str) -> None:
    definition = custom_resource_definition("DynamoGraphDeployment", line, *GRAPH_VERSIONS)
    assert "x-fact" not in json.dumps(definition)


def test_only_v1alpha1_graphs_draw_a_warning_that_they_are_deprecated() -> None:
    versions = definition()["spec"]["versions"]
    deprecated = {each["name"]: each.get("deprecated") for each in versions}
    assert deprecated == {"v1alpha1": True, "v1beta1": None}


def test_compute_domains_have_their_schema_and_a_spec_that_cannot_be_changed() -> None:
    domain = next(each for each in cluster_definitions() if each["spec"]["names"]["kind"] == "ComputeDomain")
    (version,) = domain["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["required"] == ["channel"]
    assert spec["x-kubernetes-validations"][0]["rule"] == "self == oldSelf"


def test_a_correct_graph_validates() -> None:
    assert complaints(toy_graph()) == []


def test_an_unquoted_gpu_count_is_refused() -> None:
    graph = toy_graph(Decode=worker("decode", 4))  # type: ignore[arg-type]  # the mistake under test
    assert complaints(graph) == ["4 is not of type 'string'"]


@pytest.mark.parametrize("place", ["extraPodSpec", "mainContainer", "toleration", "service"])
def test_an_unknown_field_is_seen_at_any_depth(place: str) -> None:
    graph = json.loads(json.dumps(toy_graph()))
    decode = graph["spec"]["services"]["Decode"]
    target = {
        "service": decode,
        "extraPodSpec": decode["extraPodSpec"],
        "mainContainer": decode["extraPodSpec"]["mainContainer"],
        "toleration": decode["extraPodSpec"]["tolerations"][0],
    }[place]
    target["tollerations"] = "x"
    assert len(complaints(graph)) == 1
    assert "'tollerations' was unexpected" in complaints(graph)[0]
