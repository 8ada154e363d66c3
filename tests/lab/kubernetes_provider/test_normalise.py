from __future__ import annotations

import pytest

from lab.kubernetes_provider.normalise import canonical_quantity, normalised
from lab.kubernetes_provider.values import UNKNOWN


def test_string_data_are_folded_into_data_and_win() -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "data": {"a": "eA==", "b": "eQ=="},
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


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("1000m", "1"), ("0.5", "500m"), ("1500m", "1500m"), ("192", "192"), ("1024Mi", "1Gi"),
        ("0.1Gi", "107374182400m"), ("1.5Gi", "1536Mi"), ("1536Mi", "1536Mi"), ("100M", "100M"),
        ("1000k", "1M"), ("12E", "12E"), ("0", "0"), ("512", "512"), ("1Ki", "1Ki"),
        ("0.5Ki", "512"), ("1025Ki", "1025Ki"), ("0.1n", "1n"),
        # What is no quantity is left alone.
        ("", ""), ("none", "none"), ("1GiB", "1GiB"), ("1.2.3", "1.2.3"), ("$(VALUE)", "$(VALUE)"),
    ],
)  # fmt: skip
def test_a_quantity_is_spelled_as_the_api_server_stores_it(written: str, stored: str) -> None:
    assert canonical_quantity(written) == stored
