from __future__ import annotations

from lab.kubernetes_provider.normalise import normalised
from lab.kubernetes_provider.values import UNKNOWN


def test_string_data_are_folded_into_data_and_win() -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "data": {"a": "eA==\n", "b": "eQ=="},
        "stringData": {"b": "z"},
    }
    assert normalised(secret) == {"apiVersion": "v1", "kind": "Secret", "data": {"a": "eA==", "b": "eg=="}}


def test_quantities_of_the_sdks_kinds_are_canonical_wherever_a_pod_is() -> None:
    container = {
        "name": "c",
        "resources": {"requests": {"cpu": "1000m", "memory": "1024Mi"}, "limits": {"cpu": 4}},
    }
    spec = {"template": {"spec": {"containers": [container]}}}
    found = normalised({"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec})
    resources = found["spec"]["template"]["spec"]["containers"][0]["resources"]
    assert resources == {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "4"}}
    assert container["resources"]["requests"]["cpu"] == "1000m"


def test_custom_resources_and_inputs_with_unknowns_are_left_alone() -> None:
    custom = {"apiVersion": "example.com/v1", "kind": "Anything", "spec": {"limits": {"cpu": "1000m"}}}
    assert normalised(custom) == custom
    unknown = {"apiVersion": "v1", "kind": "Secret", "stringData": {"a": UNKNOWN}}
    assert normalised(unknown) == unknown


def test_a_config_maps_data_are_no_quantities() -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"limits": "1000m"}}
    assert normalised(config_map) == config_map


def test_what_only_the_server_writes_is_left_out() -> None:
    given = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "n", "uid": "u", "resourceVersion": "1"},
    }
    assert normalised(given)["metadata"] == {"name": "n"}
