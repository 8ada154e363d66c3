"""Which change replaces an object; the table of kinds is held against the product's in tests/comparison."""

from __future__ import annotations

from typing import Any

import pytest

from lab.kubernetes_provider.diff import difference
from lab.kubernetes_provider.forced_replacement import forces_replacement, forcing_paths


@pytest.mark.parametrize(
    ("api_version", "kind", "path", "value", "is_replaced"),
    [
        ("example.com/v1", "Anything", ("metadata", "namespace"), "other", True),
        ("v1", "ConfigMap", ("data", "key"), "other", True),
        ("v1", "PersistentVolumeClaim", ("spec", "accessModes", 0), "other", True),
        ("v1", "Pod", ("spec", "initContainers", 0, "env", 2, "value"), "other", True),
        ("batch/v1", "Job", ("spec", "template", "spec", "containers", 0, "image"), "other", True),
        ("v1", "ConfigMap", ("metadata", "labels", "a"), "other", False),
        ("apps/v1", "Deployment", ("spec", "template", "spec", "containers", 0, "image"), "other", False),
        ("example.com/v1", "Anything", ("spec", "selector"), "other", False),
        # Around a forcing path: only where the change holds that path.
        ("apps/v1", "Deployment", ("spec",), {"selector": {}}, True),
        ("apps/v1", "Deployment", ("spec",), {"replicas": 1}, False),
        ("v1", "Pod", ("spec", "containers"), [{"image": "a"}], True),
    ],
)
def test_a_change_at_under_or_around_a_forcing_path_replaces(
    api_version: str, kind: str, path: tuple[Any, ...], value: Any, is_replaced: bool
) -> None:
    forcing = forcing_paths({"apiVersion": api_version, "kind": kind})
    assert forces_replacement(path, value, forcing) is is_replaced


def test_an_object_that_loses_its_metadata_is_replaced() -> None:
    assert difference({"metadata": {"name": "a"}}, {}).replaces == ["metadata"]
