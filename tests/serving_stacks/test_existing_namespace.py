"""A stack in namespaces that others made, and go on using."""

from pathlib import Path
from typing import Any

import pytest

from tests.serving_stacks.rehearsal import prepared
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

SERVING, PLATFORM = "team-a", "team-a-system"
GRAPHS, GRAPH = "dynamographdeployments.v1alpha1.nvidia.com", "gpt-oss-disagg"


def _in_the_teams_namespaces(settings: dict[str, Any]) -> None:
    settings["lifecycle"] = "disposable"
    settings["serving"]["namespace"] = {"kind": "existing", "name": SERVING}
    settings["platform"]["namespace"] = {"kind": "existing", "name": PLATFORM}


def _described(lab: Sandbox, name: str) -> tuple[str, dict[str, str]]:
    metadata = lab.get("namespace", name)["metadata"]
    return metadata["uid"], metadata["labels"]


def test_a_stack_names_existing_namespaces_that_are_not_there_serves_in_them_and_leaves_them_as_it_found_them(
    lab: Sandbox, tmp_path: Path
) -> None:
    with prepared(lab, tmp_path, "disagg-b200-tcp", _in_the_teams_namespaces) as stack:
        assert f'namespaces "{PLATFORM}" not found' in stack.failing_up()
        for name in (SERVING, PLATFORM):
            lab.kubectl("create", "namespace", name)
            lab.kubectl("create", "configmap", "somebodys", "-n", name)
        before = [_described(lab, name) for name in (SERVING, PLATFORM)]
        stack.pulumi("up", "--yes", "--skip-preview")
        assert lab.get(GRAPHS, GRAPH, "-n", SERVING)["status"]["state"] == "successful"
        assert lab.get("statefulset", "dynamo-nats", "-n", PLATFORM)["status"]["readyReplicas"] == 3
        stack.pulumi("up", "--yes", "--skip-preview")
        assert stack.changes() == {}
        stack.pulumi("destroy", "--yes", "--skip-preview")
        assert [_described(lab, name) for name in (SERVING, PLATFORM)] == before
        for name in (SERVING, PLATFORM):
            lab.kubectl("get", "configmap", "somebodys", "-n", name)
