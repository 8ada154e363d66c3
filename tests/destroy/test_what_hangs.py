"""A disposable stack taken down in part, then against everything that can hold it."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from stacks.plan.resolve import resolve
from stacks.settings.load import load_stack
from tests.destroy.conftest import GRAPH, GRAPHS, NAMESPACE, OPERATOR, PLATFORM, up_with_quick_ends
from tests.serving_stacks.rehearsal import prepare
from tests.support.lab_stack import GRAPH_LABEL, LabStack, inventory
from tests.support.runbook import commands, typed
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

GUIDE = Path(__file__).parents[2] / "docs" / "change-what-is-fixed.md"
HOLD = "example.com/hold"
PARTS = "dynamocomponentdeployments.v1alpha1.nvidia.com"
DESTROY = ("destroy", "--yes", "--skip-preview", "--run-program")


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, before: set[str], tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    assert before
    found = prepare(own_lab, tmp_path_factory.mktemp("destroy"), "dev")
    up_with_quick_ends(found)
    return found


def _hold(stack: LabStack, held: str, *, finalizers: list[str]) -> None:
    patch = json.dumps({"metadata": {"finalizers": finalizers}})
    stack.lab.kubectl("patch", held, "-n", NAMESPACE, "--type=merge", "-p", patch)


def _also_held(stack: LabStack, part: str, op: str, place: str, value: str | None = None) -> None:
    """Puts a finalizer beside the operator's, or takes it away."""
    change = {"op": op, "path": f"/metadata/finalizers/{place}"} | ({"value": value} if value else {})
    stack.lab.kubectl("patch", PARTS, part, "-n", NAMESPACE, "--type=json", "-p", json.dumps([change]))


def _uid(stack: LabStack, *named: str) -> Any:
    return stack.lab.get(*named, "-n", NAMESPACE)["metadata"]["uid"]


def test_the_guides_procedure_ends_the_graph_alone_and_up_brings_it_back(stack: LabStack) -> None:
    [command] = re.findall(r"pulumi (destroy --target '\*\*:Dynamo.*)", GUIDE.read_text(encoding="utf-8"))
    claim, objects, urns = _uid(stack, "pvc", "model-cache"), inventory(stack.lab), set(stack.urns())
    stack.pulumi(*shlex.split(command), "--yes", "--skip-preview")
    assert {urn.rsplit("::", 2)[1].rsplit(":")[-1] for urn in urns - set(stack.urns())} == {
        "DynamoGraphDeployment",
        "GraphGuard",
    }
    # The graph went last.
    assert stack.lab.get("deployments", "-n", NAMESPACE)["items"] == []
    gone = {name.partition("/")[0] for name in set(objects) - set(inventory(stack.lab))}
    assert {f"DynamoGraphDeployment {NAMESPACE}", f"Deployment {NAMESPACE}"} <= gone
    assert not {f"{kind} {NAMESPACE}" for kind in ("ConfigMap", "Job", "PersistentVolumeClaim")} & gone
    assert not {name for name in gone if name.endswith(f" {PLATFORM}")}
    stack.pulumi("up", "--yes", "--skip-preview")
    assert stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)["status"]["state"] == "successful"
    assert _uid(stack, "pvc", "model-cache") == claim


def test_the_operator_stays_until_the_last_part_of_the_graph_is_gone(stack: LabStack) -> None:
    part = stack.lab.get(PARTS, "-n", NAMESPACE)["items"][0]["metadata"]["name"]
    _also_held(stack, part, "add", "-", HOLD)
    said = stack.failing(*DESTROY)
    assert f"DynamoComponentDeployment {part}: finalizer {HOLD}, removed by the program that set it" in said
    plain = stack.failing("destroy", "--yes", "--skip-preview")
    assert "finalizers might be preventing deletion (foregroundDeletion)" in plain
    assert stack.lab.get(OPERATOR, "-n", PLATFORM)["status"]["readyReplicas"] == 1
    held = stack.lab.get(PARTS, part, "-n", NAMESPACE)["metadata"]["finalizers"]
    _also_held(stack, part, "remove", str(held.index(HOLD)))
    until(lambda: not stack.lab.get(GRAPHS, "-n", NAMESPACE)["items"], "its end", cluster=stack.lab.directory)
    stack.pulumi("up", "--yes", "--skip-preview", "--refresh")


def test_without_its_operator_nothing_goes_and_a_person_reads_how_to_bring_it_back(stack: LabStack) -> None:
    before = set(stack.urns())
    stack.lab.kubectl("scale", OPERATOR, "-n", PLATFORM, "--replicas=0")
    manager = "app.kubernetes.io/component=manager"
    stack.lab.kubectl("wait", "--for=delete", "pod", "-n", PLATFORM, "-l", manager, "--timeout=60s")
    look, history, rollback, back, _ = commands("destroy-hangs")
    said = stack.failing(*shlex.split(look.replace(" --stack STACK", ""))[1:], "--skip-preview")
    assert f"graph {NAMESPACE}/{GRAPH} cannot be deleted while the Dynamo operator is away" in said
    assert said.index("conversion webhook") < said.index("runbook: docs/runbook/operator-gone.md")
    assert set(stack.urns()) == before
    [graph] = stack.lab.get(GRAPHS, "-n", NAMESPACE)["items"]
    assert "nvidia.com/finalizer" in graph["metadata"]["finalizers"]
    assert "deletionTimestamp" not in graph["metadata"]
    assert stack.lab.get("pods", "-n", NAMESPACE, "-l", GRAPH_LABEL)["items"]
    revision = re.findall(r"^(\d+).*\bdeployed\b", typed(stack, history).stdout, re.MULTILINE)[-1]
    typed(stack, rollback, REVISION=revision)
    typed(stack, back)


def test_a_strangers_finalizers_are_named_and_lifted_by_the_printed_command(
    stack: LabStack, before: set[str]
) -> None:
    stack.lab.kubectl("create", "configmap", "somebodys", "-n", NAMESPACE)
    _hold(stack, "configmap/somebodys", finalizers=[HOLD])
    _hold(stack, "pvc/model-cache", finalizers=["kubernetes.io/pvc-protection", HOLD])
    said = stack.failing(*DESTROY)
    assert f"finalizer {HOLD}, removed by the program that set it" in said
    printed = re.findall(r"lift it with `(.+?)`;", said)[0]
    stack.lab.run(*shlex.split(printed))
    said = stack.failing(*DESTROY)
    assert (
        f"NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: {HOLD}"
        in said
    )
    _hold(stack, "configmap/somebodys", finalizers=[])
    stack.pulumi("destroy", "--yes", "--skip-preview")
    retained = resolve(stack.name, load_stack(stack.name, stack.project), "Pulumi.dev.yaml").retained
    listed = {f"{each.kind} {each.namespace or ''}/{each.name}" for each in retained if each.kind != "Lease"}
    assert set(inventory(stack.lab)) - (before - listed) == listed
