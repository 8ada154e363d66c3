from __future__ import annotations

import pytest

from lab.kubernetes_provider.identity import namespace_and_name, resource_id
from lab.kubernetes_provider.kinds import (
    RELEASE,
    UnknownTypeError,
    api_version_and_kind,
    input_properties,
    is_known_group_version,
    require_served,
)


def test_a_token_names_api_version_and_kind() -> None:
    assert api_version_and_kind("kubernetes:core/v1:ConfigMap") == ("v1", "ConfigMap")
    assert api_version_and_kind("kubernetes:apps/v1:Deployment") == ("apps/v1", "Deployment")
    assert api_version_and_kind("kubernetes:example.com/v1:Thing") == ("example.com/v1", "Thing")


@pytest.mark.parametrize(
    "token",
    [
        "kubernetes:core/v1:ConfigMop",
        "kubernetes:apps/v1:ConfigMap",
        "kubernetes:apps/v1:DeploymentPatch",
        "kubernetes:helm.sh/v4:Chart",
        "kubernetes:yaml/v2:ConfigFile",
        "kubernetes:nogroup:Thing",
        "aws:ec2/vpc:Vpc",
    ],
)
def test_a_type_that_does_not_exist_or_is_not_served_is_refused(token: str) -> None:
    with pytest.raises(UnknownTypeError):
        require_served(token)


@pytest.mark.parametrize(
    "token", ["kubernetes:core/v1:ConfigMap", "kubernetes:example.com/v1:Thing", RELEASE]
)
def test_typed_kinds_custom_resources_and_releases_are_served(token: str) -> None:
    require_served(token)


def test_inputs_are_those_of_the_sdks_class() -> None:
    assert input_properties("kubernetes:core/v1:ConfigMap") == {
        "apiVersion", "kind", "metadata", "data", "binaryData", "immutable",
    }  # fmt: skip
    assert "disableCRDHooks" in (input_properties(RELEASE) or ())
    assert input_properties("kubernetes:example.com/v1:Thing") is None


def test_groups_of_the_sdk_are_known_by_their_api_version() -> None:
    assert is_known_group_version("v1")
    assert is_known_group_version("resource.k8s.io/v1")
    assert not is_known_group_version("example.com/v1")


def test_an_id_is_namespace_and_name_and_can_be_taken_apart() -> None:
    for metadata, identifier in (({"name": "n", "namespace": "s"}, "s/n"), ({"name": "n"}, "n")):
        assert resource_id({"metadata": metadata}) == identifier
        assert namespace_and_name(identifier) == (metadata.get("namespace", ""), "n")
