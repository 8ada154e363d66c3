"""Secrets show that they have changed, and nothing else of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from comparison.resources import compare
from tests.comparison.resources_of_tests import deployment, kubernetes_object, resource, with_inputs

_TOKEN = "hf_PlantedTokenOfATest"
_OTHER = "hf_AnotherPlantedToken"


def _secret(token: str) -> Any:
    return kubernetes_object("v1", "Secret", "hf-token", stringData={"HF_TOKEN": token})


def test_a_changed_secret_is_said_to_have_changed_and_never_shown() -> None:
    (found,) = compare([_secret(_TOKEN)], [_secret(_OTHER)])
    (field,) = found.fields
    assert (field.path, field.is_secret) == (("stringData", "HF_TOKEN"), True)
    assert (field.before, field.after) == ("[secret]", "[secret]")
    assert _TOKEN not in repr(found)
    assert _OTHER not in repr(found)


def test_an_unchanged_secret_is_no_change() -> None:
    assert compare([_secret(_TOKEN)], [_secret(_TOKEN)]) == ()


def test_a_value_at_a_secret_path_is_hidden_in_a_list_and_in_a_part_that_is_added() -> None:
    def with_token(token: str) -> Any:
        start = deployment(
            containers=[{"name": "main", "image": "a:1", "env": [{"name": "TOKEN", "value": token}]}]
        )
        path = ("spec", "template", "spec", "containers", 0, "env", 0, "value")
        return replace(start, secret_paths=frozenset({path}))

    (found,) = compare([with_token(_TOKEN)], [with_token(_OTHER)])
    assert [each.is_secret for each in found.fields] == [True]
    assert _OTHER not in repr(found)
    (found,) = compare([deployment(containers=[])], [with_token(_TOKEN)])
    assert "[secret]" in repr(found)
    assert _TOKEN not in repr(found)


def test_a_secret_that_becomes_known_to_be_one_is_not_shown() -> None:
    plain = resource("aws:iam/role:Role", "role", {"description": _TOKEN})
    hidden = replace(plain, secret_paths=frozenset({("description",)}))
    (found,) = compare([plain], [with_inputs(hidden, lambda inputs: inputs.update(description=_OTHER))])
    assert found.fields[0].is_secret
    assert _TOKEN not in repr(found)


def test_a_graph_under_another_version_of_its_api_shows_no_secret() -> None:
    def graph(version: str, token: str) -> Any:
        container = {"name": "main", "env": [{"name": "TOKEN", "value": token}]}
        component = {"name": "A", "type": "worker", "podTemplate": {"spec": {"containers": [container]}}}
        made = kubernetes_object(
            f"nvidia.com/{version}", "DynamoGraphDeployment", "graph", spec={"components": [component]}
        )
        path = ("spec", "components", 0, "podTemplate", "spec", "containers", 0, "env", 0, "value")
        return replace(made, secret_paths=frozenset({path}))

    found = compare([graph("v1alpha1", _TOKEN)], [graph("v1beta1", _OTHER)])
    assert "[secret]" in repr(found)
    assert _TOKEN not in repr(found)
    assert _OTHER not in repr(found)


def test_a_secret_path_that_leads_nowhere_is_passed_over() -> None:
    odd = replace(deployment(), secret_paths=frozenset({("spec", "missing", 3, "x"), ("spec", 0)}))
    assert compare([odd], [odd]) == ()
