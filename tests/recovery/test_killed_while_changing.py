"""The engine is killed while something changes or goes; recovery finishes what was begun."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.recovery.interruption import (
    GRAPH,
    NAMESPACE,
    UP,
    assert_recovered,
    change,
    exists,
    no_room,
    objects,
    pending,
    recover,
    release_status,
    started,
    switched_on,
)
from tests.support.stored_graphs import replicas_of

if TYPE_CHECKING:
    from tests.support.lab_stack import LabStack

pytestmark = [pytest.mark.lab, pytest.mark.slow]

HOLD = "example.com/hold"
FRONTEND_POD = f"Pod {NAMESPACE}/{GRAPH}-frontend"
NETWORK_POLICIES = ("networkpolicies", "--all-namespaces")


def _expected(stack: LabStack, undisturbed: Counter[str]) -> Counter[str]:
    """What an undisturbed run would have made of the settings as the tests before have left them."""
    settings = stack.settings()["config"]["dynamo-stack:settings"]
    more_frontends = settings["serving"].get("replicas", {}).get("frontend", 1) - 1
    has_policies = settings.get("networkPolicies", True)
    expected = undisturbed + Counter({FRONTEND_POD: more_frontends})
    return Counter({key: n for key, n in expected.items() if has_policies or "NetworkPolicy" not in key})


def _hold(stack: LabStack, *names: str) -> None:
    patch = json.dumps({"metadata": {"finalizers": [HOLD]}})
    stack.lab.kubectl("patch", *names, "--type=merge", "-p", patch)


def _let_go(stack: LabStack, *names: str) -> None:
    stack.lab.kubectl("patch", *names, "--type=merge", "-p", '{"metadata": {"finalizers": null}}')


def _is_going(stack: LabStack, *names: str) -> bool:
    return "deletionTimestamp" in stack.lab.get(*names)["metadata"]


def test_killed_in_an_update(stack: LabStack, undisturbed: Counter[str]) -> None:
    change(stack, replicas={"frontend": 2, "prefill": 1, "decode": 1})
    with switched_on(stack, "graph-never-ready"), started(stack, *UP) as run:
        run.until("updating", lambda: ("updating", "DynamoGraphDeployment") in pending(stack))
        run.until("two frontends", lambda: _frontends(stack) == 2)
        run.kill()
    recover(stack, "in an update")
    assert_recovered(stack, _expected(stack, undisturbed))


def _frontends(stack: LabStack) -> int:
    return replicas_of(stack.lab, "Frontend", GRAPH, NAMESPACE)


def test_killed_in_a_replacement(stack: LabStack, undisturbed: Counter[str]) -> None:
    change(stack, overrides={"decode": {"max_num_tokens": 16384}})
    engine_files = ("configmaps", "-n", NAMESPACE, "-o", "name")
    before = stack.lab.kubectl("get", *engine_files).stdout.count(f"{GRAPH}-engine-")
    with switched_on(stack, "hold-after-create", "ConfigMap"), started(stack, *UP) as run:
        run.until(
            "both there",
            lambda: stack.lab.kubectl("get", *engine_files).stdout.count(f"{GRAPH}-engine-") == before + 1,
        )
        assert ("creating", "ConfigMap") in pending(stack)
        run.kill()
    recover(stack, "in a replacement")
    assert_recovered(stack, _expected(stack, undisturbed))


def test_killed_in_a_deletion(stack: LabStack, undisturbed: Counter[str]) -> None:
    policy = ("networkpolicy", f"{GRAPH}-graph", "-n", NAMESPACE)
    content = stack.settings()
    content["config"]["dynamo-stack:settings"]["networkPolicies"] = False
    stack.write_settings(content)
    _hold(stack, *policy)
    with started(stack, *UP) as run:
        run.until("going", lambda: _is_going(stack, *policy))
        assert ("deleting", "NetworkPolicy") in pending(stack)
        run.kill()
    _let_go(stack, *policy)
    recover(stack, "in a deletion")
    assert not exists(stack, *NETWORK_POLICIES)
    assert_recovered(stack, _expected(stack, undisturbed))


def test_killed_in_a_destroy(stack: LabStack, undisturbed: Counter[str], before: Counter[str]) -> None:
    job = ("job", "model-download", "-n", NAMESPACE)
    _hold(stack, *job)
    with started(stack, "pulumi", "destroy", "--yes", "--skip-preview") as run:
        run.until("going", lambda: exists(stack, *job) and _is_going(stack, *job))
        assert ("deleting", "Job") in pending(stack)
        run.kill()
    _let_go(stack, *job)
    recover(stack, "in a destroy", destroy=True)
    left = objects(stack) - before
    assert {key.partition(" ")[0] for key in left} <= {"CustomResourceDefinition"}
    assert stack.urns() == []


def test_killed_twice_in_a_row(stack: LabStack, undisturbed: Counter[str]) -> None:
    with no_room(stack):
        with started(stack, *UP) as run:
            run.until("installing", lambda: release_status(stack) == "pending-install")
            run.kill()
        with started(stack, "dynamo-stack", "recover", stack.name, "--yes") as recovery:
            recovery.until("at its last step", lambda: "bring the stack up" in recovery.log.read_text())
            recovery.until("installing again", lambda: release_status(stack) == "pending-install")
            recovery.kill()
    recover(stack, "twice in a row")
    assert_recovered(stack, _expected(stack, undisturbed))
