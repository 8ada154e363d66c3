"""The engine is killed, and recovery ends with what an undisturbed run makes: one test of each way there.

What it decides at other moments: tests/operations/recovery/test_found_in_cluster.py.
"""

import json
import re
import signal
from collections import Counter

import pytest

from tests.recovery.interruption import (
    GRAPH,
    GRAPHS,
    NAMESPACE,
    UP,
    assert_recovered,
    exists,
    forget,
    no_room,
    objects,
    pending,
    recover,
    release_status,
    started,
    switched_on,
)
from tests.support.lab_stack import LabStack, replicas_of

pytestmark = [pytest.mark.lab, pytest.mark.slow]

ENGINE_FILES = ("configmaps", "-n", NAMESPACE, "--field-selector", "metadata.name!=kube-root-ca.crt")
RECOVER = ("dynamo-stack", "recover", "dev", "--yes")
LET_GO, COMPARE = (
    "let the interrupted create go of the fields of DynamoGraphDeployment",
    "compare the state with the cluster",
)
HOLD = "example.com/hold"


def test_a_create_whose_end_the_engine_never_heard_is_taken_over(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    forget(stack, "ConfigMap")
    with switched_on(stack, "hold-after-create", "ConfigMap"), started(stack, *UP) as run:
        run.until("made", lambda: exists(stack, *ENGINE_FILES))
        assert ("creating", "ConfigMap") in pending(stack)
        run.kill()
    said = recover(stack, "after the object exists, before the engine knows")
    assert "$ pulumi cancel --yes --stack dev" in said
    assert f"exists, and the state does not know it: ConfigMap {NAMESPACE}/{GRAPH}-engine-" in said
    assert_recovered(stack, undisturbed)
    again = recover(stack, "nothing to recover")
    assert "no run was interrupted, nothing was changed" in again
    assert "$ " not in again


def test_an_install_that_helm_had_begun_is_taken_away_and_made_again(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    forget(stack, "Release")
    with no_room(stack), started(stack, *UP) as run:
        run.until("installing", lambda: release_status(stack) == "pending-install")
        assert ("creating", "Release") in pending(stack)
        run.kill()
    said = recover(stack, "while Helm installs")
    assert "dynamo-platform is pending-install" in said
    assert "uninstall dynamo-platform --namespace dynamo-system" in said
    assert_recovered(stack, undisturbed)


def test_a_recovery_that_is_killed_and_one_that_is_interrupted_are_typed_again(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    forget(stack, "DynamoGraphDeployment")
    with switched_on(stack, "graph-never-ready"):
        with started(stack, *UP) as run:
            run.until("waiting", lambda: exists(stack, GRAPHS, GRAPH, "-n", NAMESPACE))
            assert ("creating", "DynamoGraphDeployment") in pending(stack)
            run.kill()
        _interrupt(stack, LET_GO, signal.SIGKILL)
        _interrupt(stack, COMPARE, signal.SIGINT)
    said = recover(stack, "after recoveries that were killed and interrupted")
    assert "not made by Pulumi" not in said
    assert_recovered(stack, undisturbed)


def test_an_update_that_was_under_way_is_finished(stack: LabStack, undisturbed: Counter[str]) -> None:
    stack.change_serving(replicas={"frontend": 2, "prefill": 1, "decode": 1})
    with switched_on(stack, "graph-never-ready"), started(stack, *UP) as run:
        run.until_written("updating", lambda: ("updating", "DynamoGraphDeployment") in pending(stack))
        run.until("two frontends", lambda: replicas_of(stack.lab, "Frontend", GRAPH, NAMESPACE) == 2)
        run.kill()
    recover(stack, "in an update")
    assert_recovered(stack, undisturbed + Counter({f"Pod {NAMESPACE}/{GRAPH}-frontend": 1}))


def test_a_destroy_that_was_under_way_is_finished(stack: LabStack, before: Counter[str]) -> None:
    job = ("job", "model-download", "-n", NAMESPACE)
    stack.lab.kubectl("patch", *job, "--type=merge", "-p", json.dumps({"metadata": {"finalizers": [HOLD]}}))
    with started(stack, "pulumi", "destroy", "--yes", "--skip-preview") as run:
        run.until("going", lambda: "deletionTimestamp" in stack.lab.get(*job)["metadata"])
        assert ("deleting", "Job") in pending(stack)
        run.kill()
    stack.lab.kubectl("patch", *job, "--type=merge", "-p", '{"metadata": {"finalizers": null}}')
    recover(stack, "in a destroy", destroy=True)
    left = objects(stack) - before
    assert {key.partition(" ")[0] for key in left} <= {"CustomResourceDefinition"}
    assert stack.urns() == []


def _interrupt(stack: LabStack, step: str, how: signal.Signals) -> None:
    """Begins a recovery, and ends it in the middle of this step."""
    with started(stack, *RECOVER) as recovery:
        recovery.until_said(rf"^\d+/\d+ {re.escape(step)}")
        if how is signal.SIGKILL:
            recovery.kill()
            return
        recovery.process.send_signal(how)
        assert recovery.process.wait(600) == 130, recovery.log.read_text()
        said = recovery.log.read_text()
    assert "interrupted; running the command again continues" in said
    assert "Traceback" not in said
