"""Changes behind the stack's back: seen, named, and repaired or left as docs/runbook/drift.md says."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import read_document
from tests.serving_stacks.rehearsal import prepare
from tests.support.lab_stack import LabStack
from tests.support.runbook import commands, typed, words
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

GRAPHS, GRAPH, NAMESPACE, PLATFORM = (
    "dynamographdeployments.nvidia.com",
    "gpt-oss-disagg",
    "gpt-oss",
    "dynamo-system",
)
OPERATOR = "dynamo-platform-dynamo-operator-controller-manager"
LOOK, ROLLBACK, UP, SET_BACK, UP_AGAIN, _ = commands("drift")
SEEN = "example.com/seen-by=somebody"
REPLICAS = "spec.components[0].replicas"
GRACE = "spec.components[0].podTemplate.spec.terminationGracePeriodSeconds"


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    return prepare(own_lab, tmp_path_factory.mktemp("drift"), "dev")


def _drift(stack: LabStack, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    _, *command = words(LOOK, {"STACK": stack.name})
    return stack.dynamo_stack(*command, *arguments, check=False, variables=variables)


def _changes(stack: LabStack) -> dict[str, dict[str, Any]]:
    """The changes by object and field, of the answer for programs."""
    answer = _drift(stack, "--json")
    assert answer.returncode == 1, answer.stdout + answer.stderr
    changes = read_document("drift", answer.stdout)["changes"]
    return {
        f"{change['kind']} {change['name']} {change['field'] or ''}".strip(): change for change in changes
    }


def _set(stack: LabStack, field: str, value: int, *flags: str) -> None:
    path = "/" + field.replace("[0]", ".0").replace(".", "/")
    patch = json.dumps([{"op": "replace", "path": path, "value": value}])
    stack.lab.kubectl("patch", GRAPHS, GRAPH, "-n", NAMESPACE, "--type=json", "-p", patch, *flags)


def _grace(stack: LabStack) -> int:
    [frontend] = [item for item in _graph(stack)["spec"]["components"] if item["name"] == "Frontend"]
    return frontend["podTemplate"]["spec"]["terminationGracePeriodSeconds"]


def _graph(stack: LabStack) -> dict[str, Any]:
    return stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)


def _state(stack: LabStack) -> bytes:
    [file] = (stack.lab.directory.backend / ".pulumi" / "stacks").rglob(f"{stack.name}.json")
    return file.read_bytes()


def test_a_stack_that_is_not_deployed_is_not_said_to_be_without_drift(stack: LabStack) -> None:
    answer = _drift(stack)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "stack dev is not deployed" in answer.stderr


def test_after_an_up_nothing_differs_and_a_foreign_annotation_is_no_difference(stack: LabStack) -> None:
    stack.pulumi("up", "--yes", "--skip-preview")
    stack.lab.kubectl("annotate", GRAPHS, GRAPH, "-n", NAMESPACE, SEEN, "--field-manager=somebody")
    answer = _drift(stack)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "the cluster is as the last `up` left it" in answer.stdout


def test_a_changed_field_and_a_deleted_object_are_named_and_put_back(stack: LabStack) -> None:
    [files] = [
        item["metadata"]["name"]
        for item in stack.lab.get("configmaps", "-n", NAMESPACE)["items"]
        if item["metadata"]["name"].startswith(f"{GRAPH}-engine")
    ]
    before, state = _graph(stack), _state(stack)
    _set(stack, GRACE, 121)
    stack.lab.kubectl("delete", "configmap", files, "-n", NAMESPACE)
    found = _changes(stack)
    assert {
        name: (change["expected"], change["found"], change["changedBy"], change["up"])
        for name, change in found.items()
    } == {
        f"DynamoGraphDeployment {GRAPH} {GRACE}": ("120", "121", ["kubectl-patch"], "repaired"),
        f"ConfigMap {files}": ("exists", "is gone", [], "recreated"),
    }
    assert _state(stack) == state
    typed(stack, UP)
    assert _drift(stack).returncode == 0
    after = _graph(stack)
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert _grace(stack) == 120
    assert after["metadata"]["annotations"]["example.com/seen-by"] == "somebody"


def test_an_idle_operator_is_named_with_the_graph_that_nobody_can_read_and_is_put_back(
    stack: LabStack,
) -> None:
    manager = ("-n", PLATFORM, "-l", "app.kubernetes.io/component=manager")
    stack.lab.kubectl("scale", f"deployment/{OPERATOR}", "-n", PLATFORM, "--replicas=0")
    stack.lab.kubectl("wait", "--for=delete", "pod", *manager, "--timeout=60s")
    found = _changes(stack)
    assert {name: (change["expected"], change["found"], change["up"]) for name, change in found.items()} == {
        f"Deployment {OPERATOR} spec.replicas": ("1", "0", "left")
    }
    table = _drift(stack)
    assert table.returncode == 1
    assert f"graph {GRAPH} was not compared: the operator, which converts it, is away" in table.stdout
    revision = re.findall(r"helm .*rollback dynamo-platform (\d+) ", table.stdout)[0]
    typed(stack, ROLLBACK, REVISION=revision)
    assert _drift(stack).returncode == 0


def test_a_field_that_another_manager_took_is_refused_and_goes_back_once_it_is_set_back(
    stack: LabStack,
) -> None:
    _set(stack, GRACE, 121, "--field-manager=autoscaler")
    [change] = _changes(stack).values()
    assert (change["field"], change["changedBy"], change["up"]) == (GRACE, ["autoscaler"], "refused")
    said = stack.failing_up("--refresh")
    field = '.spec.components[name="Frontend"].podTemplate.spec.terminationGracePeriodSeconds'
    assert field in said, said
    assert 'conflict with "autoscaler"' in said, said
    assert "dynamo-stack drift dev" in said
    assert f"kubectl edit DynamoGraphDeployment/{GRAPH}" in said
    assert _grace(stack) == 121
    path = "/" + GRACE.replace("[0]", ".0").replace(".", "/")
    typed(stack, SET_BACK, KIND=GRAPHS, NAME=GRAPH, NAMESPACE=NAMESPACE, PATH=path, EXPECTED="120")
    typed(stack, UP_AGAIN)
    assert _grace(stack) == 120
    assert _drift(stack).returncode == 0


def test_a_cluster_that_does_not_answer_and_an_unknown_stack_are_no_verdict(
    stack: LabStack, tmp_path: Path
) -> None:
    silent = tmp_path / "kubeconfig"
    silent.write_text(
        re.sub(r"server: .*", "server: https://127.0.0.1:1", stack.lab.directory.kubeconfig.read_text())
    )
    answers = {"does not answer": _drift(stack, KUBECONFIG=str(silent))}
    answers["Pulumi.devel.yaml"] = stack.dynamo_stack("drift", "devel", check=False)
    for words_of_it, answer in answers.items():
        assert answer.returncode == 2, words_of_it
        assert words_of_it in answer.stderr
        assert "Traceback" not in answer.stderr
