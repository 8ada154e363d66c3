"""A stack that runs goes from one line of the platform to the next: 1.2.1, 1.4.2.

The pods are simulated, and so is the operator; its 1.6 line is not. No runtime of a later line than 1.2 runs
in the lab.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import squeezed
from tests.serving_stacks.pods import pods_of, variables_of
from tests.serving_stacks.rehearsal import SETTINGS, prepare
from tests.support.waiting import until
from tests.updates.rehearsal import GRAPHS, NAMESPACE, apply, change, preview

if TYPE_CHECKING:
    from tests.support.lab_stack import LabStack
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

STACK, GRAPH, CLAIM = "vllm-agg-b200", "gpt-oss-vllm", "model-cache"
NEXT, AFTER_NEXT = "1.4.2", "1.6.2"
REWRITE_SECONDS = 90.0
DEFINITION = "customresourcedefinitions/dynamographdeployments.nvidia.com"


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    """On a cluster that has never had a later line: its definitions, and what they stored, stay for ever."""
    stack = prepare(own_lab, tmp_path_factory.mktemp("lines"), STACK)
    apply(stack)
    return stack


def _uids(stack: LabStack) -> dict[str, str]:
    return {
        kind: stack.lab.get(kind, name, "-n", NAMESPACE)["metadata"]["uid"]
        for kind, name in ((GRAPHS, GRAPH), ("persistentvolumeclaims", CLAIM))
    }


def _upgraded(stack: LabStack) -> dict[str, Any]:
    """Write the next release on the way to the one after it; what was said of it."""
    said: dict[str, Any] = json.loads(
        stack.dynamo_stack("upgrade", STACK, "--to", AFTER_NEXT, "--yes", "--json").stdout
    )
    return said


def _stored(stack: LabStack) -> tuple[str, ...]:
    """API versions of the graph's definition that are stored, and those that were."""
    definition = json.loads(stack.lab.kubectl("get", DEFINITION, "-o", "json").stdout)
    (stored,) = (each["name"] for each in definition["spec"]["versions"] if each["storage"])
    return stored, *definition["status"]["storedVersions"]


def _pods(stack: LabStack) -> list[dict[str, Any]]:
    return [pod for pods in pods_of(stack.lab, GRAPH, NAMESPACE).values() for pod in pods]


def _images(stack: LabStack) -> set[str]:
    return {pod["spec"]["containers"][0]["image"].rpartition(":")[2] for pod in _pods(stack)}


def _left_to_change(stack: LabStack) -> dict[str, Any]:
    """What `pulumi preview` would change, and how, once a rewrite has had its time."""
    deadline = time.monotonic() + REWRITE_SECONDS
    while True:
        steps = json.loads(stack.pulumi("preview", "--json").stdout)["steps"]
        found = {
            step["urn"]: (step["op"], step.get("detailedDiff")) for step in steps if step["op"] != "same"
        }
        if not found or time.monotonic() > deadline:
            return found


def test_a_preview_refuses_a_release_that_leaves_out_one_on_the_way(stack: LabStack) -> None:
    content = stack.settings()
    change(stack, lambda settings: settings["platform"].update(version=AFTER_NEXT))
    refused = stack.pulumi("preview", check=False)
    stack.write_settings(content)
    assert refused.returncode != 0
    assert (
        "1.2.1 runs, and between 1.4.2 and 1.6.2 the API server's stored version of graphs moves"
        in squeezed(f"{refused.stdout} {refused.stderr}")
    )


def test_a_live_graph_goes_to_the_next_line_and_nothing_is_deleted(stack: LabStack) -> None:
    before = _uids(stack)
    said = _upgraded(stack)
    assert said["to"] == NEXT
    assert stack.settings()["config"][SETTINGS]["platform"]["version"] == NEXT
    seen = preview(stack)
    assert seen.removed == set()
    assert [text for text in said["effects"] if squeezed(text) not in seen.notice] == []
    assert any(text.startswith("every worker restarts: ") for text in said["effects"])
    apply(stack)
    assert set(stack.changes()) <= {"update", "create"}
    assert _uids(stack) == before
    assert _stored(stack) == ("v1alpha1", "v1alpha1")
    graph = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)
    assert graph["status"]["state"] == "successful"
    # Pods of the line before may still be ending when the graph is ready.
    until(lambda: _images(stack) == {NEXT}, f"pods of {NEXT} alone")
    assert {variables_of(pod).get("DYN_EVENT_PLANE") for pod in _pods(stack)} == {"nats"}
    # NATS is the stack's own, which the operator still names to every pod.
    assert all(variables_of(pod)["NATS_SERVER"].startswith("nats://dynamo-nats.") for pod in _pods(stack))
    # The operator rewrites stored graphs in its own time; what `up` wrote is what then stands there.
    assert _left_to_change(stack) == {}
    apply(stack)
    assert stack.changes() == {}
    assert stack.dynamo_stack("drift", STACK, check=False).returncode == 0


def test_an_upgrade_that_is_done_says_so_and_changes_nothing(stack: LabStack) -> None:
    before = stack.settings()
    done = stack.dynamo_stack("upgrade", STACK, "--to", NEXT)
    assert f"Pulumi.{STACK}.yaml has {NEXT} already; nothing was changed" in done.stdout
    assert stack.settings() == before
