"""The expanded CRD: what it accepts, refuses and sees."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from lab.custom_resources import (
    CRDS_DIRECTORY,
    GRAPH_SCHEMAS,
    cluster_definitions,
    custom_resource_definition,
    custom_resource_definitions,
)
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


def graph_definition(version: str = "v1alpha1") -> dict[str, Any]:
    return next(
        crd
        for crd in custom_resource_definitions(version)
        if crd["spec"]["names"]["kind"] == "DynamoGraphDeployment"
    )


def complaints(graph: dict[str, Any]) -> list[str]:
    crd = graph_definition()
    (version,) = crd["spec"]["versions"]
    validator = Draft202012Validator(closed(version["schema"]["openAPIV3Schema"]))
    return [error.message for error in validator.iter_errors(graph)]


@pytest.mark.parametrize("version", GRAPH_SCHEMAS)
def test_exactly_one_version_is_served_and_stored(version: str) -> None:
    crd = graph_definition(version)
    assert crd["metadata"]["name"] == "dynamographdeployments.nvidia.com"
    assert [(each["name"], each["served"], each["storage"]) for each in crd["spec"]["versions"]] == [
        (version, True, True)
    ]
    assert "conversion" not in crd["spec"]


@pytest.mark.parametrize(
    "schema_file", sorted(CRDS_DIRECTORY.glob("dynamo*.json")), ids=lambda path: path.name
)
def test_no_mark_of_a_cut_type_is_left(schema_file: Any) -> None:
    assert "x-fact" not in json.dumps(custom_resource_definition(schema_file))


def test_only_v1alpha1_graphs_draw_a_warning_that_they_are_deprecated() -> None:
    deprecated = {
        name: graph_definition(name)["spec"]["versions"][0].get("deprecated") for name in GRAPH_SCHEMAS
    }
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
