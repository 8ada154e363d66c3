"""A graph that serves, broken and made whole again as `kubectl edit` does it, and what `smoke` says of it."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from components.dynamo_objects import why_not_ready
from tests.serving_stacks.pods import pods_of
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.lab_stack import LabStack

NAMESPACE, GRAPH, MODEL = "gpt-oss", "gpt-oss-disagg", "openai/gpt-oss-120b"
GRAPHS = "dynamographdeployments.v1beta1.nvidia.com"
WAIT_SECONDS = 5
WORKERS = ("prefill", "decode")

Component = dict[str, Any]
Pod = dict[str, Any]


@dataclass(frozen=True)
class Smoked:
    """What `dynamo-stack smoke` has found wrong."""

    wrong: dict[str, str]
    """Check -> what was found."""
    fixes: dict[str, str]
    """Check -> what to type or set."""


@dataclass
class LiveGraph:
    """The graph of a stack that is up."""

    stack: LabStack
    whole: dict[str, Any] = field(default_factory=dict)
    """Its spec as `up` wrote it."""

    def __post_init__(self) -> None:
        self.whole = self._graph()["spec"]

    def edit(self, role: str, change: Callable[[Component], None]) -> None:
        """Write the whole graph with one change of a component, and wait until older pods are gone."""
        spec = copy.deepcopy(self.whole)
        [component] = [each for each in spec["components"] if each["type"] == role]
        change(component)
        # A change of one kind of worker makes a new generation of all.
        self._write(spec, WORKERS if role in WORKERS else (role,))

    def mend(self, role: str) -> None:
        """Write the graph as `up` did; returns when it is ready, with other pods of the broken role."""
        self._write(copy.deepcopy(self.whole), (role,))
        until(lambda: why_not_ready(self._graph()) is None, "a graph that is ready again")

    def pods(self, role: str) -> list[Pod]:
        """The pods of a role."""
        return pods_of(self.stack.lab, GRAPH, NAMESPACE).get(role, [])

    def pod(self, role: str) -> str:
        """The name of the only pod of a role."""
        [pod] = self.pods(role)
        return pod["metadata"]["name"]

    def smoke(self, wait: int = WAIT_SECONDS) -> Smoked:
        """Run it; exit code 1."""
        words = ("smoke", self.stack.name, "--json", "--wait", str(wait))
        answer = self.stack.dynamo_stack(*words, check=False)
        assert answer.returncode == 1, answer.stdout + answer.stderr
        report = json.loads(answer.stdout)
        wrong = {check["name"]: check for check in report["checks"] if check["verdict"] == "wrong"}
        return Smoked(
            {name: check["found"] for name, check in wrong.items()},
            {name: check["fix"] for name, check in wrong.items()},
        )

    def until_ready(self, *roles: str) -> None:
        """Wait until every one of these roles has one pod, whose readiness probe passes."""
        until(lambda: all(_are_ready(self.pods(role)) for role in roles), f"ready {', '.join(roles)}")

    def _graph(self) -> dict[str, Any]:
        return self.stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)

    def _write(self, spec: dict[str, Any], roles: tuple[str, ...]) -> None:
        before = {role: _uids(self.pods(role)) for role in roles}
        manifest = {**self._graph(), "spec": spec}
        # Whoever else writes meanwhile is the operator, whose status is no part of this.
        del manifest["metadata"]["resourceVersion"]
        self.stack.lab.kubectl("replace", "-f", "-", stdin=json.dumps(manifest))
        for role, uids in before.items():
            until(
                lambda role=role, uids=uids: not uids & _uids(self.pods(role)), f"the end of every {role} pod"
            )


def has_ended(pod: Pod) -> bool:
    """Whether its process has ended, and has been started again or waits for that."""
    [status] = pod["status"].get("containerStatuses") or [{}]
    return "terminated" in status.get("lastState", {})


def _are_ready(pods: list[Pod]) -> bool:
    statuses = [each for pod in pods for each in pod["status"].get("containerStatuses", [])]
    return len(pods) == 1 and len(statuses) == 1 and statuses[0]["ready"]


def _uids(pods: list[Pod]) -> set[str]:
    return {pod["metadata"]["uid"] for pod in pods}
