"""Resources of a recording have marks where their secrets were."""

from __future__ import annotations

from typing import Any

import pytest

from comparison.secret_marks import mark_of, marked
from resource_graph import UNKNOWN, Resource

HUB = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwX"
_REFERENCE = {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf-token", "key": "HF_TOKEN"}}}
_PORT = {"name": "PORT", "value": "8000"}
_INPUTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a token in a config map, and not the text around it": (
        {"data": {"config.yaml": f"a: 1\nhub: {HUB}\nb: 2\n"}},
        {"data": {"config.yaml": f"a: 1\nhub: {mark_of(HUB)}\nb: 2\n"}},
    ),
    "the value after an option of a command": (
        {"args": ["serve", "--api-key", "letmein", "--port", "8000"]},
        {"args": ["serve", "--api-key", mark_of("letmein"), "--port", "8000"]},
    ),
    "values of a chart by their names": (
        {"values": {"nats": {"auth": {"password": "letmein"}}}},
        {"values": {"nats": {"auth": {"password": mark_of("letmein")}}}},
    ),
    "no reference to a secret": ({"env": [_REFERENCE]}, {"env": [_REFERENCE]}),
}


def _resource(inputs: dict[str, Any], *secret_paths: tuple[str]) -> Resource:
    return Resource(urn="urn", type="type", name="a", inputs=inputs, secret_paths=frozenset(secret_paths))


@pytest.mark.parametrize("case", _INPUTS)
def test_what_looks_like_a_secret_is_marked(case: str) -> None:
    inputs, shown = _INPUTS[case]
    assert marked(_resource(inputs)).inputs == shown


def test_all_data_of_a_secret_is_marked_and_its_keys_stay() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"a": "YQ=="}, "stringData": {"b": "plain"}}
    shown = marked(_resource(secret))
    assert shown.inputs["data"] == {"a": mark_of("YQ==")}
    assert shown.inputs["stringData"] == {"b": mark_of("plain")}
    assert shown.secret_paths == {("data",), ("stringData",)}


def test_what_the_program_declares_secret_is_marked_with_all_its_parts_that_are_known() -> None:
    shown = marked(_resource({"a": {"b": ["x", 1, True, UNKNOWN]}, "c": "x"}, ("a",))).inputs
    assert shown == {"a": {"b": [mark_of("x"), mark_of("1"), mark_of("True"), UNKNOWN]}, "c": "x"}


def test_a_variable_of_a_container_with_the_name_of_a_secret_has_a_marked_value() -> None:
    shown = marked(_resource({"env": [{"name": "HUB_TOKEN", "value": "short"}, _PORT]}))
    assert shown.inputs["env"] == [{"name": "HUB_TOKEN", "value": mark_of("short")}, _PORT]
    assert shown.secret_paths == {("env", 0, "value")}
