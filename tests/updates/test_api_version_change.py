"""A stack whose graph was written as v1alpha1, as this project wrote it at first, gets one in v1beta1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.serving_stacks.pods import pods_of, variables_of
from tests.serving_stacks.rehearsal import SETTINGS, prepared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.lab_stack import LabStack
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAMESPACE, GRAPH, CACHE = "gpt-oss", "gpt-oss-disagg", "model-cache"
GRAPHS = "dynamographdeployments.nvidia.com"

_AT_FIRST = {
    "pod.py": (
        ("if service.cache_claim_name:", "if False:"),
        ("if service.cache_directory or service.cache_claim_name:", "if service.cache_directory:"),
    ),
    "v1alpha1.py": (
        (
            'fields["extraPodMetadata"] = {"annotations": dict(service.annotations)}',
            'fields["annotations"] = dict(service.annotations)',
        ),
        (
            "    if service.shared_memory:",
            '    fields["volumeMounts"] = [{"name": service.cache_claim_name, '
            '"mountPoint": service.cache_mount_path}]\n    if service.shared_memory:',
        ),
        (
            '"backendFramework": backend_framework,',
            '"backendFramework": backend_framework, "pvcs": [{"name": "model-cache", "create": False}],',
        ),
    ),
}


def _as_v1alpha1(settings: dict[str, Any]) -> None:
    settings["platform"]["graphApi"] = "v1alpha1"


@pytest.fixture(scope="module")
def stack(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    with prepared(lab, tmp_path_factory.mktemp("v1alpha1"), "disagg-b200", _as_v1alpha1) as stack:
        yield stack


def _written_at_first(project: Path) -> dict[Path, str]:
    before: dict[Path, str] = {}
    for name, edits in _AT_FIRST.items():
        file = project / "recipes" / "graph_manifest" / name
        text = before[file] = file.read_text()
        for old, new in edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        file.write_text(text)
    return before


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
    before = _written_at_first(stack.project)
    stack.pulumi("up", "--yes", "--skip-preview")
    uid = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)["metadata"]["uid"]
    assert {role: CACHE in names for role, names in _volumes(stack).items()} == {
        "frontend": True,
        "prefill": False,
        "decode": False,
    }
    for file, text in before.items():
        file.write_text(text)
    content = stack.settings()
    del content["config"][SETTINGS]["platform"]["graphApi"]
    stack.write_settings(content)
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
