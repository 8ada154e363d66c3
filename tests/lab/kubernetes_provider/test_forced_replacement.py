from __future__ import annotations

from typing import Any

import pytest

from lab.kubernetes_provider.diff import difference
from lab.kubernetes_provider.forced_replacement import forces_replacement, forcing_paths


def _forcing(api_version: str, kind: str, **more: Any) -> tuple[str, ...]:
    mutable = more.pop("mutable", False)
    inputs = {"apiVersion": api_version, "kind": kind, **more}
    return forcing_paths(inputs, config_map_mutable=mutable, secret_mutable=mutable)


@pytest.mark.parametrize(
    ("api_version", "kind", "path"),
    [
        ("v1", "Namespace", ("metadata", "name")),
        ("example.com/v1", "Anything", ("metadata", "namespace")),
        ("v1", "ConfigMap", ("data", "key")),
        ("v1", "ConfigMap", ("binaryData",)),
        ("v1", "Secret", ("data", "key")),
        ("v1", "Secret", ("type",)),
        ("v1", "Service", ("spec", "clusterIP")),
        ("v1", "PersistentVolumeClaim", ("spec", "storageClassName")),
        ("v1", "PersistentVolumeClaim", ("spec", "accessModes", 0)),
        ("v1", "PersistentVolume", ("spec", "csi", "volumeHandle")),
        ("v1", "Pod", ("spec", "containers", 1, "image")),
        ("v1", "Pod", ("spec", "initContainers", 0, "env", 2, "value")),
        ("v1", "Pod", ("spec", "nodeSelector", "a")),
        ("v1", "ResourceQuota", ("spec", "scopes", 0)),
        ("apps/v1", "Deployment", ("spec", "selector", "matchLabels", "a")),
        ("apps/v1", "DaemonSet", ("spec", "selector")),
        ("apps/v1", "StatefulSet", ("spec", "volumeClaimTemplates", 0, "spec")),
        ("apps/v1", "StatefulSet", ("spec", "serviceName")),
        ("batch/v1", "Job", ("spec", "template", "spec", "containers", 0, "image")),
        ("batch/v1", "Job", ("spec", "parallelism")),
        ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", ("roleRef", "name")),
        ("storage.k8s.io/v1", "StorageClass", ("parameters", "type")),
        ("storage.k8s.io/v1", "StorageClass", ("provisioner",)),
    ],
)
def test_a_change_at_or_under_a_forcing_path_replaces(
    api_version: str, kind: str, path: tuple[Any, ...]
) -> None:
    assert forces_replacement(path, "new", _forcing(api_version, kind))


@pytest.mark.parametrize(
    ("api_version", "kind", "path"),
    [
        ("v1", "ConfigMap", ("metadata", "labels", "a")),
        ("v1", "Service", ("spec", "ports", 0, "port")),
        ("v1", "PersistentVolumeClaim", ("spec", "resources", "requests", "storage")),
        ("v1", "Pod", ("spec", "tolerations", 0)),
        ("v1", "Pod", ("spec", "resourceClaims", 0)),
        ("apps/v1", "Deployment", ("spec", "template", "spec", "containers", 0, "image")),
        ("apps/v1", "StatefulSet", ("spec", "replicas")),
        ("batch/v1", "Job", ("spec", "backoffLimit")),
        ("networking.k8s.io/v1", "NetworkPolicy", ("spec", "podSelector")),
        ("rbac.authorization.k8s.io/v1", "Role", ("rules", 0)),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", ("spec", "scope")),
        ("example.com/v1", "Anything", ("spec", "selector")),
        ("policy/v1", "PodDisruptionBudget", ("spec", "selector")),
    ],
)
def test_any_other_change_does_not(api_version: str, kind: str, path: tuple[Any, ...]) -> None:
    assert not forces_replacement(path, "new", _forcing(api_version, kind))


def test_a_change_around_a_forcing_path_replaces_only_if_it_holds_that_path() -> None:
    forcing = _forcing("apps/v1", "Deployment")
    assert forces_replacement(("spec",), {"selector": {}}, forcing)
    assert not forces_replacement(("spec",), {"replicas": 1}, forcing)
    assert forces_replacement(("spec", "containers"), [{"image": "a"}], _forcing("v1", "Pod"))


def test_mutable_data_replace_only_where_the_object_is_to_be_immutable() -> None:
    assert not forces_replacement(("data", "a"), "b", _forcing("v1", "ConfigMap", mutable=True))
    assert not forces_replacement(("data", "a"), "b", _forcing("v1", "Secret", mutable=True))
    assert forces_replacement(("type",), "b", _forcing("v1", "Secret", mutable=True))
    assert forces_replacement(("data", "a"), "b", _forcing("v1", "ConfigMap", mutable=True, immutable=True))
    assert forces_replacement(("data", "a"), "b", _forcing("v1", "Secret", mutable=True, immutable=True))


def test_an_object_that_loses_its_metadata_is_replaced() -> None:
    assert difference({"metadata": {"name": "a"}}, {}).replaces == ["metadata"]
