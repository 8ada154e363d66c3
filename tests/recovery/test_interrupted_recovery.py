"""Recovery itself is interrupted, at every step that it takes, and typed again."""

from __future__ import annotations

import re
import signal
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
    recover,
    release_status,
    started,
    switched_on,
)

if TYPE_CHECKING:
    from collections import Counter

    from tests.support.lab_stack import LabStack

pytestmark = [pytest.mark.lab, pytest.mark.slow]

RECOVER = ("dynamo-stack", "recover", "dev", "--yes")
UNLOCK, LET_GO, REFRESH, BRING_UP = (
    "remove the lock",
    "let the interrupted create go of the fields of DynamoGraphDeployment",
    "compare the state with the cluster",
    "bring the stack up",
)


def _interrupt(stack: LabStack, step: str, how: signal.Signals) -> None:
    """Begins a recovery, and ends it in the middle of this step."""
    with started(stack, *RECOVER) as recovery:
        announced = re.compile(rf"^\d+/\d+ {re.escape(step)}", re.MULTILINE)
        recovery.until(step, lambda: announced.search(recovery.log.read_text()) is not None)
        if how is signal.SIGKILL:
            recovery.kill()
            return
        recovery.process.send_signal(how)
        assert recovery.process.wait(600) == 130, recovery.log.read_text()
        said = recovery.log.read_text()
    assert "interrupted; running the command again continues" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("last", "how"),
    [
        (UNLOCK, signal.SIGKILL),
        (LET_GO, signal.SIGKILL),
        (REFRESH, signal.SIGKILL),
        (REFRESH, signal.SIGINT),
        (BRING_UP, signal.SIGKILL),
        (BRING_UP, signal.SIGINT),
    ],
)
def test_a_recovery_that_ends_at_any_step_is_typed_again(
    stack: LabStack, undisturbed: Counter[str], last: str, how: signal.Signals
) -> None:
    forget(stack, "DynamoGraphDeployment")
    with switched_on(stack, "graph-never-ready"):
        with started(stack, *UP) as run:
            run.until("waiting", lambda: exists(stack, GRAPHS, GRAPH, "-n", NAMESPACE))
            run.kill()
        _interrupt(stack, last, how)
    said = recover(stack, f"after a recovery that got a {how.name} while it would {last}")
    assert "not made by Pulumi" not in said
    assert_recovered(stack, undisturbed)


@pytest.mark.parametrize("last", ["uninstall Helm release", REFRESH, BRING_UP])
def test_a_recovery_of_a_release_that_ends_at_any_step_is_typed_again(
    stack: LabStack, undisturbed: Counter[str], last: str
) -> None:
    forget(stack, "Release")
    with no_room(stack), started(stack, *UP) as run:
        run.until("installing", lambda: release_status(stack) == "pending-install")
        run.kill()
    _interrupt(stack, last, signal.SIGKILL)
    recover(stack, f"after a recovery of a release that ended while it would {last}")
    assert_recovered(stack, undisturbed)
