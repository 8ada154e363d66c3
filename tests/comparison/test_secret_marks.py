"""Resources of a recording have marks where their secrets were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comparison.secret_marks import mark_of, marked
from resource_graph import UNKNOWN, Resource

if TYPE_CHECKING:
    from resource_graph.values import Path

HUB = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwX"


def resource(inputs: dict[str, Any], *secret_paths: Path) -> Resource:
    return Resource(
        urn="urn:pulumi:dev::dynamo-stack::kubernetes:core/v1:ConfigMap::a",
        type="kubernetes:core/v1:ConfigMap",
        name="a",
        inputs=inputs,
        secret_paths=frozenset(secret_paths),
    )


def test_all_data_of_a_secret_is_marked_and_its_keys_stay() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"a": "YQ=="}, "stringData": {"b": "plain"}}
    shown = marked(resource(secret))
    assert shown.inputs["data"] == {"a": mark_of("YQ==")}
    assert shown.inputs["stringData"] == {"b": mark_of("plain")}
    assert shown.secret_paths == {("data",), ("stringData",)}


def test_what_the_program_declares_secret_is_marked_with_all_its_parts() -> None:
    shown = marked(resource({"a": {"b": ["x", 1, True]}, "c": "x"}, ("a",)))
    assert shown.inputs["a"] == {"b": [mark_of("x"), mark_of("1"), mark_of("True")]}
    assert shown.inputs["c"] == "x"


def test_a_secret_that_only_the_update_knows_stays_unknown() -> None:
    assert marked(resource({"a": UNKNOWN}, ("a",))).inputs["a"] is UNKNOWN


def test_a_token_in_a_config_map_is_marked_and_the_text_around_it_stays() -> None:
    shown = marked(resource({"data": {"config.yaml": f"a: 1\nhub: {HUB}\nb: 2\n"}})).inputs["data"]
    assert shown == {"config.yaml": f"a: 1\nhub: {mark_of(HUB)}\nb: 2\n"}


def test_a_variable_of_a_container_with_the_name_of_a_secret_has_a_marked_value() -> None:
    environment = [{"name": "HUB_TOKEN", "value": "short"}, {"name": "PORT", "value": "8000"}]
    shown = marked(resource({"env": environment}))
    assert shown.inputs["env"] == [
        {"name": "HUB_TOKEN", "value": mark_of("short")},
        {"name": "PORT", "value": "8000"},
    ]
    assert shown.secret_paths == {("env", 0, "value")}


def test_a_reference_to_a_secret_stays() -> None:
    reference = {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf-token", "key": "HF_TOKEN"}}}
    assert marked(resource({"env": [reference]})).inputs["env"] == [reference]


def test_the_value_after_an_option_of_a_command_is_marked() -> None:
    shown = marked(resource({"args": ["serve", "--api-key", "letmein", "--port", "8000"]}))
    assert shown.inputs["args"] == ["serve", "--api-key", mark_of("letmein"), "--port", "8000"]


def test_values_of_a_chart_are_marked_by_their_names() -> None:
    shown = marked(resource({"values": {"nats": {"auth": {"password": "letmein"}}}}))
    assert "[secret " in str(shown.inputs["values"])
    assert "letmein" not in str(shown.inputs)
