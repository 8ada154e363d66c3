"""One change of a stack that runs: what preview says of it, then what `up` does."""

import json
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from tests.support.lab_stack import LabStack
from tests.support.measured import record
from tests.updates.timeline import Timeline
from tests.updates.watching import Event, Watch

NAMESPACE = "gpt-oss"
AGGREGATED, DISAGGREGATED = "gpt-oss-agg", "gpt-oss-disagg"
WORKERS = {AGGREGATED: frozenset({"worker"}), DISAGGREGATED: frozenset({"prefill", "decode"})}
GRAPHS = "dynamographdeployments.nvidia.com"
# Simulated pods are ready within a second; the rest is the engine's time on a busy machine.
BOUND_SECONDS = 60
# Of what nobody owns: written by Helm for itself, or by the control plane into every namespace.
_NOT_THE_STACKS = ("sh.helm.release.v1.", "kube-root-ca.crt")
_KINDS = (
    "configmaps,secrets,services,serviceaccounts,persistentvolumeclaims,pods,deployments,statefulsets,jobs,"
    "networkpolicies,poddisruptionbudgets,roles,rolebindings,computedomains.resource.nvidia.com," + GRAPHS
)
_REMOVES = {"delete", "replace"}

Settings = dict[str, Any]


@dataclass(frozen=True)
class Preview:
    """What was said before anything happened."""

    changes: dict[str, str]
    """Kind and logical name of a resource -> operation, without what stays the same."""
    removed: set[str]
    """Objects that go or are replaced: kind namespace/name."""
    notice: str
    """Everything under Diagnostics, with spaces and line breaks made single spaces."""

    @classmethod
    def of(cls, digest: dict[str, Any]) -> Self:
        """Read what `pulumi preview --json` prints."""
        steps = [step for step in digest.get("steps", []) if step["op"] != "same"]
        going = [step["oldState"]["inputs"] for step in steps if step["op"] in _REMOVES]
        said = " ".join(each["message"] for each in digest.get("diagnostics", []))
        return cls(
            {_kind_and_name(step["urn"]): step["op"] for step in steps},
            {_key(inputs) for inputs in going if "kind" in inputs},
            " ".join(said.split()),
        )


@dataclass(frozen=True)
class Update:
    """A change that is through."""

    preview: Preview
    pods: Timeline
    files: list[Event]
    """What became of ConfigMaps."""
    begun: float

    def assert_engine_files_came_first_and_went_last(self) -> None:
        """The new ConfigMap is there before a pod wants it, the old one until no pod wants it."""
        [came] = self._revisions("ADDED")
        [went] = self._revisions("DELETED")
        assert self.pods.first_created is not None
        assert came < self.pods.first_created < self.pods.last_ready < went

    def record(self, name: str) -> None:
        """Write the interruption down beside what had been said."""
        said = re.search(r"interruption: (.*?) (?:[A-Z]\w+:|address:|$)", f"{self.preview.notice} ")
        record("update", name, self.pods.interruption, said[1] if said else "none")

    def _revisions(self, kind: str) -> list[int]:
        return [
            event.version
            for event in self.files
            if event.kind == kind and event.at >= self.begun and "-engine-" in event.name
        ]


def uid(stack: LabStack, graph: str = DISAGGREGATED) -> str:
    """Which object the graph is."""
    return stack.lab.get(GRAPHS, graph, "-n", NAMESPACE)["metadata"]["uid"]


def preview(stack: LabStack) -> Preview:
    """Run `pulumi preview`."""
    return Preview.of(json.loads(stack.pulumi("preview", "--json").stdout))


def apply(stack: LabStack, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `pulumi up` without the preview that was looked at already, and without the policy pack."""
    return stack.pulumi("up", "--yes", "--skip-preview", **options)


def update(stack: LabStack, edit: Callable[[Settings], None]) -> Update:
    """Change, look, apply; whatever holds of every update is checked here.

    The graph is ready and serves when `up` ends; it is the same object unless preview said
    that it goes; nothing that nobody owns is gone or replaced unless preview said so.
    """
    before = _objects(stack)
    stack.change_settings(edit)
    said = preview(stack)
    done = observed(stack, said, lambda: apply(stack))
    after = _objects(stack)
    removed = {key for key, uid in before.items() if after.get(key) != uid}
    assert removed == said.removed
    [served] = [key for key in after if key.startswith("DynamoGraphDeployment ")]
    graph = stack.lab.get(GRAPHS, served.rpartition("/")[2], "-n", NAMESPACE)
    assert graph["status"]["state"] == "successful"
    assert done.pods.serves
    return done


def observed(stack: LabStack, said: Preview, run: Callable[[], object]) -> Update:
    """What becomes of pods and ConfigMaps while something runs."""
    with (
        Watch(stack.lab, f"/api/v1/namespaces/{NAMESPACE}/pods") as pods,
        Watch(stack.lab, f"/api/v1/namespaces/{NAMESPACE}/configmaps") as files,
    ):
        begun = time.monotonic()
        run()
    return Update(said, Timeline.of(pods.events, begun, WORKERS), files.events, begun)


def _objects(stack: LabStack) -> dict[str, str]:
    items = stack.lab.get(_KINDS, "--all-namespaces")["items"]
    return {
        _key(item): item["metadata"]["uid"]
        for item in items
        if not item["metadata"].get("ownerReferences")
        and not item["metadata"]["name"].startswith(_NOT_THE_STACKS)
    }


def _key(item: dict[str, Any]) -> str:
    metadata = item["metadata"]
    return f"{item['kind']} {metadata.get('namespace', '')}/{metadata['name']}"


def _kind_and_name(urn: str) -> str:
    kind, name = urn.split("::")[2:]
    return f"{kind.rpartition(':')[2]} {name}"
