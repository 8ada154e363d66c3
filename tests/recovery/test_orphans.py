"""Plugins of a killed engine that live on, as the vendor's do: at work, and in a wait."""

from __future__ import annotations

from contextlib import ExitStack
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
    release_status,
    started,
    switched_on,
)

if TYPE_CHECKING:
    from collections import Counter

    from tests.support.lab_stack import LabStack

pytestmark = [pytest.mark.lab, pytest.mark.slow]

OUTLIVES = "plugins-outlive-engine"
WAITING = "waiting for what the killed run left running"
ONLY_WAITS = "it has sent all its requests and only waits"


def test_helm_finishes_its_install_with_nobody_listening_and_the_release_is_imported(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    forget(stack, "Release")
    command = ("dynamo-stack", "recover", stack.name, "--yes")
    with switched_on(stack, OUTLIVES, "1"), started(stack, *UP) as run, ExitStack() as full:
        full.enter_context(no_room(stack))
        run.until("installing", lambda: release_status(stack) == "pending-install")
        run.kill()
        with started(stack, *command) as recovery:
            recovery.until_said(WAITING)
            full.close()
            assert recovery.process.wait(120) == 0, recovery.log.read_text()
            said = recovery.log.read_text()
    assert (
        "take Helm release dynamo-platform, which is installed and not in the state, into the state" in said
    )
    assert "helm uninstall" not in said
    assert_recovered(stack, undisturbed)


def test_an_orphan_that_waits_for_its_graph_is_left_alone_until_a_person_ends_it(
    stack: LabStack, undisturbed: Counter[str]
) -> None:
    forget(stack, "DynamoGraphDeployment")
    command = ("dynamo-stack", "recover", stack.name, "--yes")
    never_ready = switched_on(stack, "graph-never-ready")
    with switched_on(stack, OUTLIVES, "1"), never_ready, started(stack, *UP) as run:
        run.until("waiting", lambda: exists(stack, GRAPHS, GRAPH, "-n", NAMESPACE))
        run.kill()
        with started(stack, *command) as patient:
            patient.until_said(ONLY_WAITS)
            patient.kill()
            said = patient.log.read_text()
        with started(stack, *command, "--end-waiting") as recovery:
            recovery.until_said("remove the lock")
            (stack.lab.directory.switches / "graph-never-ready").unlink()
            assert recovery.process.wait(120) == 0, recovery.log.read_text()
    # As long as the graph's own wait, which is more than five minutes.
    assert "add --end-waiting" in said
    assert int(said.partition("at most ")[2].partition(" min")[0]) >= 20
    assert_recovered(stack, undisturbed)
