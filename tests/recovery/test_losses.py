"""Something is lost behind Pulumi's back; the command of its runbook page heals it, and nothing else goes."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.operations.doctor.first_line import sick
from tests.recovery.interruption import (
    GRAPH,
    GRAPHS,
    NAMESPACE,
    PLATFORM,
    assert_recovered,
    exists,
    release_status,
    switched_on,
)
from tests.support.lab_stack import LabStack
from tests.support.runbook import commands, healed, typed
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

UP = ("up", "--yes", "--skip-preview")
FILES = ("get", "configmaps", "-n", NAMESPACE, "-o", "name")


def _heal(stack: LabStack, page: str) -> str:
    """Types the page's commands within the promised time, and returns what the last one says."""
    return healed(stack, page, *commands(page), GRAPH=GRAPH)


def _state(stack: LabStack) -> Path:
    folder = stack.lab.directory.backend / ".pulumi" / "stacks" / "dynamo-stack"
    return folder / f"{stack.name}.json"


def _uids(stack: LabStack) -> dict[str, str]:
    """The graph and the claim with the model: another uid is another object."""
    found = [
        stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE),
        stack.lab.get("persistentvolumeclaim", "model-cache", "-n", NAMESPACE),
    ]
    return {each["kind"]: each["metadata"]["uid"] for each in found}


def test_a_state_that_cannot_be_read_is_put_back_from_the_backup_beside_it(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    before = _uids(stack)
    # What a full disk leaves; other contents: tests/operations/recovery/test_refusals.py.
    _state(stack).write_text('{"version": 3, "checkp')
    drift = stack.dynamo_stack("drift", stack.name, check=False)
    assert drift.returncode == 2
    assert "put its backup back, as docs/runbook/state-lost.md shows" in drift.stderr
    shutil.copyfile(f"{_state(stack)}.bak", _state(stack))
    _heal(stack, "state-lost")
    assert_recovered(stack, undisturbed)
    assert _uids(stack) == before


def test_a_lock_that_cannot_be_read_is_removed_by_the_command_that_recovery_names(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    locks = stack.lab.directory.backend / ".pulumi/locks/organization/dynamo-stack" / stack.name
    locks.mkdir(parents=True, exist_ok=True)
    (locks / "left.json").write_text("garbage")
    assert stack.pulumi(*UP, check=False).returncode != 0
    said = stack.dynamo_stack("recover", stack.name, "--yes").stdout
    assert "`pulumi cancel --yes --stack dev` removes a lock that an ended run has left" in said
    _heal(stack, "lock-unreadable")
    assert list(locks.glob("*")) == []
    assert_recovered(stack, undisturbed)


def test_a_release_that_the_state_does_not_know_is_taken_into_it(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    before = _uids(stack)
    _forget_release(stack)
    refused = stack.pulumi(*UP, check=False)
    assert "cannot re-use a name that is still in use" in refused.stdout
    said = _heal(stack, "release-unknown")
    assert "the state does not know it: Helm release dynamo-system/dynamo-platform" in said
    assert "helm uninstall" not in said
    assert release_status(stack) == "deployed"
    assert_recovered(stack, undisturbed)
    assert _uids(stack) == before


def test_a_graph_that_was_deleted_by_hand_leads_to_the_command_that_makes_it_again(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    claim = _uids(stack)["PersistentVolumeClaim"]
    stack.lab.kubectl("delete", GRAPHS, GRAPH, "-n", NAMESPACE, "--timeout=60s")
    up = stack.pulumi(*UP, check=False)
    drift = stack.dynamo_stack("drift", stack.name, check=False)
    assert [each.returncode for each in (up, drift)] == [1, 1], up.stdout
    assert f"graph {NAMESPACE}/{GRAPH} is gone: somebody deleted it" in up.stdout
    assert "`pulumi up --refresh --stack dev` makes it again" in up.stdout
    assert "docs/runbook/graph-deleted.md" in up.stdout
    assert "pulumi up --refresh --stack dev" in drift.stdout
    [again, *_] = commands("graph-deleted")
    healed(stack, "graph-deleted", again)
    assert_recovered(stack, undisturbed)
    assert _uids(stack)["PersistentVolumeClaim"] == claim


def test_a_definition_that_was_deleted_is_named_and_comes_back_with_the_graph(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    claim = _uids(stack)["PersistentVolumeClaim"]
    stack.lab.kubectl("delete", "customresourcedefinition", GRAPHS, "--timeout=60s")
    up = stack.pulumi(*UP, check=False)
    assert up.returncode == 1
    assert f"graph {NAMESPACE}/{GRAPH} is gone with its definition" in up.stdout
    assert f"graph {NAMESPACE}/{GRAPH} is gone with its definition" in sick(stack)
    drift = stack.dynamo_stack("drift", stack.name, "--json", check=False)
    assert drift.returncode == 1, drift.stdout + drift.stderr
    found = json.loads(drift.stdout)
    gone = {f"{change['kind']} {change['name']}": change["found"] for change in found["changes"]}
    assert gone == {
        f"DynamoGraphDeployment {GRAPH}": "is gone",
        f"CustomResourceDefinition {GRAPHS}": "is gone",
    }
    _, restart, status, again = commands("graph-deleted")
    operator = f"{restart.split()[-1]} --namespace {PLATFORM}"
    assert [each.partition("kubectl")[2].split(" rollout ")[-1] for each in found["repair"][:2]] == [
        f"restart {operator}",
        f"status {operator}",
    ]
    assert found["repair"][2:] == ["pulumi up --refresh --stack dev"]
    typed(stack, restart)
    typed(stack, status)
    healed(stack, "graph-deleted", again)
    assert_recovered(stack, undisturbed)
    assert _uids(stack)["PersistentVolumeClaim"] == claim


def test_an_up_after_a_failed_wait_is_not_green_before_the_graph_is_ready_and_keeps_the_old_engine_files(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    old = _engine_files(stack)
    stack.change_serving(readyTimeoutSeconds=5, overrides={"decode": {"max_num_tokens": 12288}})
    with switched_on(stack, "graph-never-ready"):
        assert "The wait for graph" in stack.failing(*UP)
        # A refresh forgets the failed wait, and the graph is as the program wants it.
        for arguments in ((*UP, "--refresh"), UP):
            said = stack.failing(*arguments)
            assert f"graph {NAMESPACE}/{GRAPH} is not ready: " in said
            assert "docs/runbook/graph-never-ready.md" in said
        assert old < _engine_files(stack)
        drift = stack.dynamo_stack("drift", stack.name, "--json", check=False)
        assert json.loads(drift.stdout)["changes"] == []
    stack.pulumi(*UP, "--refresh")
    assert not old & _engine_files(stack)
    assert_recovered(stack, undisturbed)


def test_what_a_refused_update_left_is_no_change_of_somebody_else(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    stack.change_serving(readyTimeoutSeconds=60, replicas={"frontend": 2, "prefill": 1, "decode": 1})
    with _refused_updates(stack):
        assert "nobody may change a graph" in stack.failing(*UP)
    drift = stack.dynamo_stack("drift", stack.name, "--json", check=False)
    report = json.loads(drift.stdout)
    assert all(each["byFailedUp"] and not each["changedBy"] for each in report["changes"])
    told = stack.dynamo_stack("drift", stack.name, check=False).stdout
    assert "that nobody made with Pulumi" not in told
    stack.change_serving(replicas={"frontend": 1, "prefill": 1, "decode": 1})
    stack.pulumi(*UP)
    assert_recovered(stack, undisturbed)


@contextmanager
def _refused_updates(stack: LabStack) -> Iterator[None]:
    """The API server refuses every change of a graph."""
    rule = {
        "apiGroups": ["nvidia.com"],
        "apiVersions": ["*"],
        "operations": ["UPDATE"],
        "resources": ["dynamographdeployments"],
    }
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "frozen"},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": "false", "message": "nobody may change a graph"}],
        },
    }
    binding = {
        **policy,
        "kind": "ValidatingAdmissionPolicyBinding",
        "spec": {"policyName": "frozen", "validationActions": ["Deny"]},
    }
    for each in (policy, binding):
        stack.lab.kubectl("create", "-f", "-", stdin=json.dumps(each))
    probe = ("annotate", GRAPHS, GRAPH, "-n", NAMESPACE, "probe=", "--overwrite", "--dry-run=server")
    until(lambda: stack.lab.kubectl(*probe, check=False).returncode != 0, "the policy's first refusal")
    try:
        yield
    finally:
        for kind in ("validatingadmissionpolicybinding", "validatingadmissionpolicy"):
            stack.lab.kubectl("delete", kind, "frozen")
        until(lambda: stack.lab.kubectl(*probe, check=False).returncode == 0, "the end of the policy")


def _engine_files(stack: LabStack) -> set[str]:
    listed = stack.lab.kubectl(*FILES).stdout.split()
    return {name for name in listed if f"{GRAPH}-engine-" in name}


def _forget_release(stack: LabStack) -> None:
    """Takes the release out of the state, as a hand does, and leaves it in the cluster."""
    exported: dict[str, Any] = json.loads(stack.pulumi("stack", "export").stdout)
    deployment = exported["deployment"]
    [urn] = [each["urn"] for each in deployment["resources"] if each["type"].endswith("helm.sh/v3:Release")]
    deployment["resources"] = [each for each in deployment["resources"] if each["urn"] != urn]
    for each in deployment["resources"]:
        each["dependencies"] = [name for name in each.get("dependencies") or [] if name != urn]
        each["propertyDependencies"] = {
            key: [name for name in names or [] if name != urn]
            for key, names in (each.get("propertyDependencies") or {}).items()
        }
    file = stack.project / "edited.json"
    file.write_text(json.dumps(exported))
    stack.pulumi("stack", "import", "--file", str(file))
    assert exists(stack, "deployments", "-n", PLATFORM)
