"""A graph that serves, broken and made whole again as `kubectl edit` does it, and what `smoke` says of it."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from components.dynamo_objects import why_not_ready
from tests.serving_stacks.pods import pods_of
from tests.support.lab_stack import LabStack
from tests.support.waiting import until

NAMESPACE, GRAPH, MODEL = "gpt-oss", "gpt-oss-disagg", "openai/gpt-oss-120b"
GRAPHS = "dynamographdeployments.v1beta1.nvidia.com"
WAIT_SECONDS = 5
WORKERS = ("prefill", "decode")
# Beyond the time that a pod has for its end: the operator, the scheduler and the kubelet act on it.
_BEYOND_GRACE_SECONDS = 60

Component = dict[str, Any]
Pod = dict[str, Any]


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
        self._write(spec)

    def mend(self) -> None:
        """Write the graph as `up` did; returns when it is ready, with other pods of what was broken."""
        self._write(copy.deepcopy(self.whole))
        until(lambda: why_not_ready(self._graph()) is None, "a graph that is ready again")

    def pods(self, role: str) -> list[Pod]:
        """The pods of a role."""
        return pods_of(self.stack.lab, GRAPH, NAMESPACE).get(role, [])

    def pod(self, role: str) -> str:
        """The name of the only pod of a role."""
        [pod] = self.pods(role)
        return pod["metadata"]["name"]

    def smoke(self) -> dict[str, dict[str, str]]:
        """Run it; exit code 1. Returns what is wrong: check -> what was found, and what to type or set."""
        words = ("smoke", self.stack.name, "--json", "--wait", str(WAIT_SECONDS))
        answer = self.stack.dynamo_stack(*words, check=False)
        assert answer.returncode == 1, answer.stdout + answer.stderr
        report = json.loads(answer.stdout)
        return {check["name"]: check for check in report["checks"] if check["verdict"] == "wrong"}

    def until_ready(self, *roles: str) -> None:
        """Wait until every one of these roles has one pod, whose readiness probe passes."""
        until(lambda: all(_are_ready(self.pods(role)) for role in roles), f"ready {', '.join(roles)}")

    def _graph(self) -> dict[str, Any]:
        return self.stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)

    def _write(self, spec: dict[str, Any]) -> None:
        graph = self._graph()
        roles = _renewed(graph["spec"], spec)
        before = [pod for role in roles for pod in self.pods(role)]
        manifest = {**graph, "spec": spec}
        # Others that write meanwhile are the operator, whose status is no part of this.
        del manifest["metadata"]["resourceVersion"]
        self.stack.lab.kubectl("replace", "-f", "-", stdin=json.dumps(manifest))
        # Dynamo 1.2.1 sometimes hangs in its own shutdown (seen in the lab), and the kubelet ends it then.
        grace = max((pod["spec"]["terminationGracePeriodSeconds"] for pod in before), default=0)
        ended = _uids(before)
        until(
            lambda: not any(ended & _uids(self.pods(role)) for role in roles),
            f"the end of every {' and '.join(roles)} pod",
            grace + _BEYOND_GRACE_SECONDS,
        )


def _renewed(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """The roles whose pods all end: a change of one kind of worker makes a new generation of all.

    Replicas alone make none; without any, the pods of that component end.
    """
    pairs = zip(before["components"], after["components"], strict=True)
    changed = {new["type"] for old, new in pairs if old | {"replicas": 0} != new | {"replicas": 0}}
    emptied = {each["type"] for each in after["components"] if each.get("replicas") == 0}
    if changed & set(WORKERS):
        changed |= set(WORKERS)
    return tuple(sorted(changed | emptied))


def has_ended(pod: Pod) -> bool:
    """Whether its process has ended, and has been started again or waits for that."""
    [status] = pod["status"].get("containerStatuses") or [{}]
    return "terminated" in status.get("lastState", {})


def _are_ready(pods: list[Pod]) -> bool:
    statuses = [each for pod in pods for each in pod["status"].get("containerStatuses", [])]
    return len(pods) == 1 and len(statuses) == 1 and statuses[0]["ready"]


def _uids(pods: list[Pod]) -> set[str]:
    return {pod["metadata"]["uid"] for pod in pods}
