"""The engine is killed while something is being made; recovery ends with what an undisturbed run makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    pending,
    recover,
    release_status,
    started,
    switched_on,
)

if TYPE_CHECKING:
    from collections import Counter

    from tests.support.lab_stack import LabStack

pytestmark = [pytest.mark.lab, pytest.mark.slow]

ENGINE_FILES = ("configmaps", "-n", NAMESPACE, "--field-selector", "metadata.name!=kube-root-ca.crt")


def test_a_stack_that_nothing_has_interrupted_is_left_alone(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    said = recover(stack, "nothing to recover")
    assert "no run was interrupted, nothing was changed" in said
    assert "$ " not in said


def test_killed_before_the_object_exists(stack: LabStack, undisturbed: Counter[str]) -> None:
    forget(stack, "ConfigMap")
    with switched_on(stack, "hold-before-create", "ConfigMap"), started(stack, *UP) as run:
        run.until("creating", lambda: ("creating", "ConfigMap") in pending(stack))
        assert not exists(stack, *ENGINE_FILES)
        refused = stack.dynamo_stack("recover", stack.name, "--yes", check=False)
        assert refused.returncode == 2
        assert f"locked by a run that is alive: pid {run.process.pid} of " in refused.stderr
        run.kill()
    said = recover(stack, "before the object exists")
    assert "$ pulumi cancel --yes --stack dev" in said
    assert_recovered(stack, undisturbed)


def test_killed_after_the_object_exists_and_before_the_engine_knows(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    forget(stack, "ConfigMap")
    with switched_on(stack, "hold-after-create", "ConfigMap"), started(stack, *UP) as run:
        run.until("made", lambda: exists(stack, *ENGINE_FILES))
        assert ("creating", "ConfigMap") in pending(stack)
        run.kill()
    said = recover(stack, "after the object exists, before the engine knows")
    assert f"exists, and the state does not know it: ConfigMap {NAMESPACE}/{GRAPH}-engine-" in said
    assert_recovered(stack, undisturbed)


def test_killed_while_it_waits_for_the_download_job(stack: LabStack, undisturbed: Counter[str]) -> None:
    forget(stack, "Job")
    with no_room(stack), started(stack, *UP) as run:
        run.until("waiting", lambda: exists(stack, "job", "model-download", "-n", NAMESPACE))
        assert ("creating", "Job") in pending(stack)
        run.kill()
    recover(stack, "while the download Job is waited for")
    assert_recovered(stack, undisturbed)


def test_killed_while_helm_installs_the_platform(stack: LabStack, undisturbed: Counter[str]) -> None:
    forget(stack, "Release")
    with no_room(stack), started(stack, *UP) as run:
        run.until("installing", lambda: release_status(stack) == "pending-install")
        assert ("creating", "Release") in pending(stack)
        run.kill()
    said = recover(stack, "while Helm installs")
    assert "dynamo-platform is pending-install" in said
    assert "uninstall dynamo-platform --namespace dynamo-system" in said
    assert_recovered(stack, undisturbed)


def test_killed_while_it_waits_for_the_graph(stack: LabStack, undisturbed: Counter[str]) -> None:
    forget(stack, "DynamoGraphDeployment")
    with switched_on(stack, "graph-never-ready"), started(stack, *UP) as run:
        run.until("waiting", lambda: exists(stack, GRAPHS, GRAPH, "-n", NAMESPACE))
        assert ("creating", "DynamoGraphDeployment") in pending(stack)
        run.kill()
    recover(stack, "while the graph is waited for")
    assert_recovered(stack, undisturbed)
