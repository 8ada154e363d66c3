"""A stack whose graph was written as v1alpha1, as this project wrote it at first, gets one in v1beta1."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from lab.directory import REPOSITORY
from tests.serving_stacks.pods import pods_of, variables_of
from tests.serving_stacks.rehearsal import prepared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.lab_stack import LabStack
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAMESPACE, GRAPH, CACHE = "gpt-oss", "gpt-oss-disagg", "model-cache"
GRAPHS = "dynamographdeployments.nvidia.com"

_AT_FIRST = {
    "services.py": (
        ('"volumeMounts": [_cache_mount(placed)],', '"volumeMounts": [],'),
        ("        return [cache]\n", "        return []\n"),
        (
            '"configMap": {"name": engine_config_map_name}}, cache]',
            '"configMap": {"name": engine_config_map_name}}]',
        ),
    ),
    "api_versions.py": (
        (
            'fields["extraPodMetadata"] = metadata',
            'fields["annotations"] = dict(service.annotations)',
        ),
        (
            '    if service.shared_memory:\n        fields["sharedMemory"]',
            '    fields["volumeMounts"] = [{"name": "model-cache", "mountPoint": "/opt/models"}]\n'
            '    if service.shared_memory:\n        fields["sharedMemory"]',
        ),
    ),
    "__init__.py": (
        (
            'return {**spec, "services"',
            'return {**spec, "pvcs": [{"name": "model-cache", "create": False}], "services"',
        ),
    ),
}


def _as_v1alpha1(settings: dict[str, Any]) -> None:
    settings["platform"]["graphApi"] = "v1alpha1"


@pytest.fixture(scope="module")
def stack(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    with prepared(lab, tmp_path_factory.mktemp("v1alpha1"), "disagg-b200-tcp", _as_v1alpha1) as stack:
        yield stack


def _written_at_first(project: Path) -> None:
    """Give the project a copy of the recipes that writes the graph so: the repository's serve other tests."""
    recipes = project / "recipes"
    recipes.unlink()
    shutil.copytree(REPOSITORY / "recipes", recipes)
    for name, edits in _AT_FIRST.items():
        file = recipes / "graph_manifest" / name
        text = file.read_text()
        for old, new in edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        file.write_text(text)


def _written_as_today(project: Path) -> None:
    recipes = project / "recipes"
    shutil.rmtree(recipes)
    recipes.symlink_to(REPOSITORY / "recipes", target_is_directory=True)


def _volumes(stack: LabStack) -> dict[str, set[str]]:
    pods = pods_of(stack.lab, GRAPH, NAMESPACE)
    return {
        role: {volume["name"] for pod in found for volume in pod["spec"]["volumes"]}
        for role, found in pods.items()
    }


def _variables(stack: LabStack) -> dict[str, bool]:
    """Whether every pod of a role knows where the model is."""
    pods = pods_of(stack.lab, GRAPH, NAMESPACE)
    return {role: all("HF_HOME" in variables_of(pod) for pod in found) for role, found in pods.items()}


def test_a_v1alpha1_graph_becomes_a_v1beta1_one_and_its_workers_get_the_model(stack: LabStack) -> None:
    _written_at_first(stack.project)
    stack.pulumi("up", "--yes", "--skip-preview")
    uid = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)["metadata"]["uid"]
    assert {role: CACHE in names for role, names in _volumes(stack).items()} == {
        "frontend": True,
        "prefill": False,
        "decode": False,
    }
    _written_as_today(stack.project)
    stack.change_settings(lambda settings: settings["platform"].pop("graphApi"))
    seen = stack.pulumi("preview")
    said = " ".join((seen.stdout + seen.stderr).split())
    assert f"another graph: {GRAPH} is deleted, then {GRAPH} is created" in said, said
    assert "nothing serves from the moment the old graph ends until the new one" in said
    stack.pulumi("up", "--yes")
    graph = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)
    assert graph["metadata"]["uid"] != uid
    assert graph["status"]["state"] == "successful"
    assert all(CACHE in names for names in _volumes(stack).values())
    assert all(_variables(stack).values())
    stack.pulumi("up", "--yes", "--skip-preview")
    assert stack.changes() == {}
    assert stack.dynamo_stack("drift", stack.name, check=False).returncode == 0
