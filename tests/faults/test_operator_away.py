"""The operator away under a stack that is up: what is read, what hangs, what the runbook clears."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.faults.conftest import GRAPH, NAMESPACE, PLATFORM, ask_for, is_ready
from tests.operations.doctor.first_line import sick
from tests.serving_stacks.rehearsal import prepare
from tests.support.lab_stack import GRAPH_LABEL, LabStack
from tests.support.runbook import commands, typed
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

DEPLOYMENT = "deployment/dynamo-platform-dynamo-operator-controller-manager"
GRAPHS = "dynamographdeployments.v1alpha1.nvidia.com"
CONVERTED = "dynamographdeployments.v1beta1.nvidia.com"
PARTS = "dynamocomponentdeployments.v1alpha1.nvidia.com"
OTHER = "second"
ALL_OF_GRAPH = ("-n", NAMESPACE, "-l", f"{GRAPH_LABEL}={GRAPH}")
LOOK, OBJECTS, HISTORY, ROLLBACK, ROLLED_OUT, UP, REFRESH_RELEASE, UP_AGAIN, _ = commands("operator-gone")


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    found = prepare(own_lab, tmp_path_factory.mktemp("away"), "dev")
    found.pulumi("up", "--yes", "--skip-preview")
    return found


@pytest.fixture
def away(stack: LabStack) -> None:
    """The operator's Deployment is deleted, and its pod has ended."""
    stack.lab.kubectl("delete", DEPLOYMENT, "-n", PLATFORM, "--cascade=foreground", "--timeout=30s")
    read = ("get", CONVERTED, GRAPH, "-n", NAMESPACE)
    until(lambda: "conversion webhook" in stack.lab.kubectl(*read, check=False).stderr, "nobody converts")


def test_graphs_are_read_at_the_stored_version_alone_and_changed_at_none(stack: LabStack, away: None) -> None:
    typed(stack, LOOK)
    for version in (GRAPHS, CONVERTED):
        patch = ("patch", version, GRAPH, "-n", NAMESPACE, "--type=merge", "-p")
        refused = stack.lab.kubectl(*patch, '{"metadata":{"finalizers":[]}}', check=False).stderr
        assert re.search("failed calling webhook|conversion webhook", refused), refused


def test_drift_names_what_is_missing_of_the_release_and_the_graph_that_nobody_converts(
    stack: LabStack,
) -> None:
    answer = stack.dynamo_stack("drift", stack.name, "--json", check=False)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    report = json.loads(answer.stdout)
    assert [change["kind"] for change in report["changes"]] == ["Deployment"]
    assert report["repair"][0].startswith("helm ")
    assert "the Dynamo operator is gone" in sick(stack)
    assert any("was not compared" in line for line in report["notCompared"]), report["notCompared"]


def test_an_operator_that_was_deleted_is_told_apart_and_helm_brings_it_back(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    ask_for(stack, frontends=2)
    said = stack.failing_up()
    assert "the operator has no pod: somebody scaled it down or deleted it" in said
    assert "docs/runbook/operator-gone.md" in said
    typed(stack, OBJECTS)
    _bring_back(stack)
    typed(stack, UP)
    assert is_ready(stack)
    fault("seconds after Helm's rollback; what serves goes on meanwhile")


def test_a_recovery_brings_the_operator_back_before_anything_that_needs_it(
    stack: LabStack, away: None, fault: Callable[[str], None]
) -> None:
    _leave_an_interrupted_update(stack)
    said = stack.dynamo_stack("recover", stack.name, "--yes").stdout
    assert "bring the operator back" in said
    assert is_ready(stack)
    assert stack.lab.get(DEPLOYMENT, "-n", PLATFORM)["status"]["readyReplicas"] == 1
    fault("seconds, by recover's own rollback")


def test_a_graph_that_was_deleted_meanwhile_goes_with_its_parts_when_the_operator_is_back(
    stack: LabStack, away: None, fault: Callable[[str], None]
) -> None:
    stack.lab.kubectl("delete", GRAPHS, GRAPH, "-n", NAMESPACE, "--wait=false")
    assert stack.lab.get("pods", *ALL_OF_GRAPH)["items"]
    _bring_back(stack)
    until(lambda: not _left(stack), "the end of graph, parts and pods", cluster=stack.lab.directory)
    stack.pulumi("up", "--yes", "--skip-preview", "--refresh")
    assert is_ready(stack)
    fault("within a minute of Helm's rollback, plus the load of the model")


def test_a_namespace_that_was_deleted_meanwhile_goes_when_the_operator_is_back(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    _second_graph(stack)
    stack.lab.kubectl("delete", DEPLOYMENT, "-n", PLATFORM, "--cascade=foreground", "--timeout=30s")
    stack.lab.kubectl("delete", "namespace", OTHER, "--wait=false")
    until(
        lambda: "conversion webhook" in _conditions(stack, OTHER),
        "the conditions",
        cluster=stack.lab.directory,
    )
    _bring_back(stack)
    stack.lab.kubectl("wait", "--for=delete", f"namespace/{OTHER}", "--timeout=120s")
    fault("within a minute of Helm's rollback")


def test_a_graph_whose_operator_cannot_come_back_is_let_go_by_hand_and_made_again(
    stack: LabStack, away: None, fault: Callable[[str], None]
) -> None:
    *look, graphs, parts = commands("deletion-hangs")[:4]
    for command in look:
        typed(stack, command)
    assert GRAPH in typed(stack, graphs).stdout
    listed = typed(stack, parts).stdout
    assert "nvidia.com/finalizer" in listed
    names = [line.split()[0] for line in listed.splitlines()[1:]]
    assert len(names) == len(stack.lab.get("deployments", *ALL_OF_GRAPH)["items"])
    for command in commands("deletion-hangs")[4:]:
        for name in names if " PART " in command else names[:1]:
            typed(stack, command, GRAPH=GRAPH, PART=name)
    assert _left(stack) == []
    _bring_back(stack)
    stack.pulumi("up", "--yes", "--skip-preview", "--refresh")
    assert is_ready(stack)
    fault("ten commands of a person, plus the load of the model")


def test_parts_that_a_graph_has_left_keep_the_platform_until_the_operator_that_is_back_has_removed_them(
    stack: LabStack, away: None, fault: Callable[[str], None]
) -> None:
    of_the_graph_alone = [
        command
        for command in commands("deletion-hangs")[4:]
        if " PART " not in command and " wait " not in command
    ]
    for command in of_the_graph_alone:
        typed(stack, command, GRAPH=GRAPH)
    until(lambda: not stack.lab.get(GRAPHS, "-n", NAMESPACE)["items"], "its end", cluster=stack.lab.directory)
    said = stack.failing("destroy", "--yes", "--skip-preview")
    assert "graphs that are gone have left parts, and nothing of the platform was deleted" in said
    assert f"DYNAMO_STACK_WITHOUT_PLATFORM={NAMESPACE}/{GRAPH} pulumi destroy" in said
    assert stack.lab.get(PARTS, *ALL_OF_GRAPH)["items"]
    _bring_back(stack)
    stack.pulumi("destroy", "--yes", "--skip-preview")
    assert stack.urns() == []
    namespaces = [each["metadata"]["name"] for each in stack.lab.get("namespaces")["items"]]
    assert NAMESPACE not in namespaces
    stack.pulumi("up", "--yes", "--skip-preview")
    assert is_ready(stack)
    fault("within a minute of Helm's rollback, then a destroy as ever")


def test_a_release_that_was_uninstalled_is_installed_again_under_graphs_that_run_on(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    before = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)["metadata"]["uid"]
    stack.lab.run("helm", "uninstall", "dynamo-platform", "-n", PLATFORM, "--wait")
    assert (
        "not found" in stack.lab.run("helm", "history", "dynamo-platform", "-n", PLATFORM, check=False).stderr
    )
    ask_for(stack, frontends=1)
    said = stack.failing_up()
    assert "docs/runbook/operator-gone.md" in said
    drift = stack.dynamo_stack("drift", stack.name, "--json", check=False)
    assert drift.returncode == 1, drift.stdout + drift.stderr
    assert json.loads(drift.stdout)["repair"] == [
        REFRESH_RELEASE.replace(" --yes", "").replace("STACK", stack.name),
        UP_AGAIN.replace(" --yes", "").replace("STACK", stack.name),
    ]
    typed(stack, REFRESH_RELEASE)
    typed(stack, UP_AGAIN)
    until(lambda: is_ready(stack), "the graph is ready", cluster=stack.lab.directory)
    assert stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)["metadata"]["uid"] == before
    fault("the time of an install; what serves goes on meanwhile")


def _bring_back(stack: LabStack) -> None:
    history = typed(stack, HISTORY).stdout
    revision = re.findall(r"^(\d+).*\bdeployed\b", history, re.MULTILINE)[-1]
    typed(stack, ROLLBACK, REVISION=revision)
    typed(stack, ROLLED_OUT)


def _left(stack: LabStack) -> list[str]:
    """What is left of the graph: itself, its parts, its pods."""
    kinds = ((GRAPHS, "-n", NAMESPACE), (PARTS, *ALL_OF_GRAPH), ("pods", *ALL_OF_GRAPH))
    return [item["metadata"]["name"] for kind in kinds for item in stack.lab.get(*kind)["items"]]


def _leave_an_interrupted_update(stack: LabStack) -> None:
    """As a run does that is killed while it updates the graph."""
    file = stack.lab.directory.backend / ".pulumi" / "stacks" / "dynamo-stack" / f"{stack.name}.json"
    written = json.loads(file.read_text())
    latest = written["checkpoint"]["latest"]
    [graph] = [each for each in latest["resources"] if each["type"].endswith(":DynamoGraphDeployment")]
    latest["pending_operations"] = [{"resource": graph, "type": "updating"}]
    file.write_text(json.dumps(written))


def _second_graph(stack: LabStack) -> None:
    """The stack's graph once more in a namespace of its own, where its pods find no volume."""
    graph: dict[str, Any] = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)
    graph["metadata"] = {"name": "second", "namespace": OTHER}
    graph.pop("status")
    stack.lab.kubectl("create", "namespace", OTHER)
    stack.lab.kubectl("create", "-f", "-", stdin=json.dumps(graph))
    until(
        lambda: bool(stack.lab.get(PARTS, "-n", OTHER)["items"]), "parts of it", cluster=stack.lab.directory
    )


def _conditions(stack: LabStack, namespace: str) -> str:
    found = stack.lab.get("namespace", namespace)["status"].get("conditions", [])
    return " ".join(each.get("message", "") for each in found)
