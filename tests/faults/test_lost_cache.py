"""A model cache that somebody deleted: seen, said, and filled again by what the runbook says."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.faults.conftest import GRAPH, NAMESPACE, ask_for, is_ready
from tests.operations.doctor.first_line import sick
from tests.serving_stacks.rehearsal import prepare
from tests.support.lab_stack import LabStack
from tests.support.runbook import commands, healed, typed
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

CLAIM, JOB = "model-cache", "model-download"
DRIFT, LET_GO, HEAL, _ = commands("cache-lost")


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    """A stack for production, whose claim is protected."""

    def for_production(settings: dict[str, Any]) -> None:
        settings["lifecycle"] = "production"

    found = prepare(own_lab, tmp_path_factory.mktemp("lost-cache"), "dev", for_production)
    found.pulumi("up", "--yes", "--skip-preview")
    return found


def _drift(stack: LabStack) -> tuple[int, dict[str, Any]]:
    answer = stack.dynamo_stack("drift", stack.name, "--json", check=False)
    return answer.returncode, json.loads(answer.stdout)


def _live(stack: LabStack, kind: str, name: str) -> dict[str, Any]:
    return stack.lab.get(kind, name, "-n", NAMESPACE)


def _is_filled(stack: LabStack, before: dict[str, str]) -> bool:
    """Whether another claim has been filled by another Job, which was done after the claim was made."""
    claim, job = _live(stack, "pvc", CLAIM), _live(stack, "job", JOB)
    assert claim["metadata"]["uid"] != before["pvc"]
    assert job["metadata"]["uid"] != before["job"]
    return claim["metadata"]["creationTimestamp"] <= job["status"]["completionTime"]


def _uids(stack: LabStack) -> dict[str, str]:
    return {
        kind: _live(stack, kind, name)["metadata"]["uid"] for kind, name in (("pvc", CLAIM), ("job", JOB))
    }


def _force_away(stack: LabStack) -> dict[str, Any]:
    """Deletes the claim past its protection, as an impatient person does, and returns what it was."""
    claim = _live(stack, "pvc", CLAIM)
    where = ("-n", NAMESPACE)
    stack.lab.kubectl("delete", "pvc", CLAIM, *where, "--wait=false")
    stack.lab.kubectl("patch", "pvc", CLAIM, *where, "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    until(
        lambda: stack.lab.kubectl("get", "pvc", CLAIM, *where, check=False).returncode != 0,
        "no claim",
        cluster=stack.lab.directory,
    )
    return claim


def test_a_claim_that_is_gone_is_said_by_all_and_filled_again_by_one_command(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    before = _uids(stack)
    _force_away(stack)
    code, report = _drift(stack)
    [change] = report["changes"]
    assert (code, change["name"], change["found"], change["up"]) == (1, CLAIM, "is gone", "refilled")
    assert "claim model-cache is gone, and the model with it" in sick(stack)
    assert "lost: claim model-cache is gone from the cluster" in stack.pulumi("preview").stdout
    said = stack.failing_up()
    assert "claim model-cache is gone from the cluster" in said
    assert "`pulumi up --refresh --stack dev` (docs/runbook/cache-lost.md)" in said
    shown = stack.pulumi("preview", "--refresh", "--diff").stdout
    assert "model-cache-download" in shown
    healed(stack, "cache-lost", HEAL)
    assert _is_filled(stack, before)
    assert is_ready(stack)
    assert _drift(stack)[0] == 0
    stack.pulumi("up", "--yes", "--skip-preview")
    assert stack.changes() == {}
    fault("one command, and the download")


def test_a_claim_that_somebody_made_again_by_hand_is_empty_and_not_called_green(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    before = _uids(stack)
    claim = _force_away(stack)
    again = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": CLAIM, "namespace": NAMESPACE},
        "spec": {key: claim["spec"][key] for key in ("accessModes", "resources", "storageClassName")},
    }
    file = stack.project / "claim.json"
    file.write_text(json.dumps(again))
    stack.lab.kubectl("create", "--save-config", "-f", str(file))
    until(
        lambda: _live(stack, "pvc", CLAIM)["status"]["phase"] == "Bound",
        "a volume",
        cluster=stack.lab.directory,
    )
    code, report = _drift(stack)
    assert code == 1
    assert [change["found"] for change in report["changes"] if change["up"] == "refilled"] == [
        "was made again, and is empty"
    ]
    assert any("the volume is empty; `up --refresh` runs the Job again" in text for text in report["lost"])
    assert "was made again behind Pulumi's back" in stack.failing_up()
    recovery = stack.dynamo_stack("recover", stack.name, "--yes")
    assert f"`dynamo-stack doctor {stack.name}` says why it does not serve" in recovery.stdout
    healed(stack, "cache-lost", HEAL)
    assert _is_filled(stack, before)
    assert _drift(stack)[0] == 0
    fault("one command, and the download")


def test_a_claim_that_is_being_deleted_is_let_go_and_comes_back_filled(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    before = _uids(stack)
    stack.lab.kubectl("delete", "pvc", CLAIM, "-n", NAMESPACE, "--wait=false")
    code, report = _drift(stack)
    assert code == 1
    [change] = report["changes"]
    assert (change["found"], change["up"]) == ("is being deleted", "going")
    assert "no new pod can mount it" in report["lost"][0]
    first, repair = report["repair"]
    assert first.endswith(
        f"delete dynamographdeployments.v1alpha1.nvidia.com/{GRAPH} job/{JOB} pvc/{CLAIM} "
        f"--namespace {NAMESPACE} --ignore-not-found --cascade=foreground"
    )
    assert repair == f"pulumi up --refresh --stack {stack.name}"
    assert "lost: PersistentVolumeClaim model-cache is being deleted" in stack.pulumi("preview").stdout
    # A new pod cannot mount it.
    ask_for(stack, frontends=2)
    said = stack.failing_up()
    assert f"The wait for graph {GRAPH} ended early: more waiting does not help." in said
    assert "claim model-cache: is being deleted since" in said
    ask_for(stack, frontends=1)
    healed(stack, "cache-lost", LET_GO, HEAL, GRAPH=GRAPH, JOB=JOB)
    assert _is_filled(stack, before)
    assert is_ready(stack)
    assert typed(stack, DRIFT).returncode == 0
    fault("two commands: an interruption, and the download")
