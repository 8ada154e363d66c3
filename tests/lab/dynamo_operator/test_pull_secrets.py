"""Pull secrets are found by the registry of the image."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from lab.dynamo_operator.pull_secrets import matching_pull_secrets


def secret(name: str, *registries: str, kind: str = "kubernetes.io/dockerconfigjson") -> dict[str, Any]:
    config = json.dumps({"auths": {registry: {"auth": "x"} for registry in registries}})
    data = {".dockerconfigjson": base64.b64encode(config.encode()).decode()}
    return {"metadata": {"name": name}, "type": kind, "data": data}


SECRETS = [
    secret("ngc", "nvcr.io"),
    secret("hub", "https://index.docker.io/v1/"),
    secret("docker", "docker.io"),
    secret("opaque", "nvcr.io", kind="Opaque"),
    {
        "metadata": {"name": "broken"},
        "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": "e30"},
    },
]


@pytest.mark.parametrize(
    ("image", "expected"),
    [("nvcr.io/nvidia/x:1", ["ngc"]), ("python:3.12", ["docker"]), ("registry.example/x:1", [])],
)
def test_a_secret_fits_when_it_holds_a_login_for_the_images_registry(image: str, expected: list[str]) -> None:
    component = {"podTemplate": {"spec": {"containers": [{"name": "main", "image": image}]}}}
    assert matching_pull_secrets(component, SECRETS) == expected


def test_the_search_can_be_switched_off() -> None:
    metadata = {"annotations": {"nvidia.com/disable-image-pull-secret-discovery": "true"}}
    spec = {"containers": [{"name": "main", "image": "nvcr.io/nvidia/x:1"}]}
    assert matching_pull_secrets({"podTemplate": {"metadata": metadata, "spec": spec}}, SECRETS) == []
