"""Whether what a stack has made serves: its graph, the claim with the model, the files that pods still read.

The engine asks none of this where nothing changes. A refresh forgets that a wait has failed, because the
provider reads no readiness of a custom resource (pulumi-kubernetes 4.32, provider/pkg/provider/provider.go,
Read), and the run after it would call a graph `unchanged` that never became ready.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from components.dynamo_objects import GRAPH_KIND, GRAPH_NAME, GRAPHS, stored_name, why_not_ready
from failures.explanation import escaped

_Get = Callable[..., Mapping[str, Any] | None]
_Object = Mapping[str, Any]
_CLAIM, _POD = "PersistentVolumeClaim", "Pod"
_AGAIN = "`pulumi up --refresh --stack {stack}` makes it again"
_MEND = "mend that, then `pulumi up --stack {stack}`: it waits again"


@dataclass(frozen=True, slots=True)
class ServingObjects:
    """The objects that have to be there and to work."""

    namespace: str
    graph: str
    engine_files: str | None
    """The ConfigMap that the graph's pods read now; its name ends in a hash of the content. None: they read
    none."""
    claim: str | None
    """Claim that holds the model; None where the stack makes none."""


@dataclass(frozen=True, slots=True)
class HealthProblem:
    """One thing that does not work."""

    what: str
    then: str
    """The command that helps; the stack's name stands as {stack}."""
    page: str
    """The page of docs/runbook."""
    may_pass: bool = True
    """Whether waiting may be enough."""

    def text(self, stack: str) -> str:
        """Return it as a person reads it."""
        return f"{self.what}\n  try: {self.then.format(stack=stack)}\n  runbook: docs/runbook/{self.page}.md"


def health_problems(get: _Get, served: ServingObjects) -> tuple[HealthProblem, ...] | None:
    """Return what does not work, by `kubectl get` with these words; None where the cluster does not say."""
    kinds = f"{stored_name(get, GRAPHS)},persistentvolumeclaims,pods"
    listed = get(kinds, "--namespace", served.namespace)
    if listed is None:
        return None
    items: list[_Object] = listed.get("items") or []
    problems = (*_claim_problems(items, served), *_graph_problems(items, served))
    # The old pods of a graph that is not ready are no news.
    return problems or tuple(_readers_of_old_files(items, served))


def _claim_problems(items: list[_Object], served: ServingObjects) -> Iterator[HealthProblem]:
    if served.claim is None:
        return
    name = f"claim {served.namespace}/{served.claim}"
    claim = _named(items, _CLAIM, served.claim)
    if claim is None:
        yield HealthProblem(
            f"{name} is gone, and the model with it", _AGAIN, "cache-volume-unbound", may_pass=False
        )
    elif "deletionTimestamp" in claim["metadata"]:
        yield _being_deleted(name)
    elif (phase := (claim.get("status") or {}).get("phase")) != "Bound":
        yield HealthProblem(f"{name} has no volume: it is {phase}", _MEND, "cache-volume-unbound")


def _graph_problems(items: list[_Object], served: ServingObjects) -> Iterator[HealthProblem]:
    name = f"graph {served.namespace}/{served.graph}"
    graph = _named(items, GRAPH_KIND, served.graph)
    if graph is None:
        yield HealthProblem(f"{name} is gone: somebody deleted it", _AGAIN, "graph-deleted", may_pass=False)
    elif "deletionTimestamp" in graph["metadata"]:
        yield _being_deleted(name)
    elif reason := why_not_ready(graph):
        yield HealthProblem(f"{name} is not ready: {escaped(reason)}", _MEND, "graph-never-ready")


def _being_deleted(name: str) -> HealthProblem:
    then = f"see what holds it; once it is gone, {_AGAIN}"
    return HealthProblem(f"{name} is being deleted", then, "deletion-hangs", may_pass=False)


def _readers_of_old_files(items: list[_Object], served: ServingObjects) -> Iterator[HealthProblem]:
    """A pod that starts anew after its ConfigMap went finds no files, and never starts."""
    # The name that recipes/engine_files.py gives them, whatever is in them.
    of_any_content = f"{served.graph}-engine-"
    for pod in items:
        metadata = pod["metadata"]
        labels = metadata.get("labels") or {}
        if pod["kind"] != _POD or labels.get(GRAPH_NAME) != served.graph or "deletionTimestamp" in metadata:
            continue
        if (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}:
            continue
        for files in _files_of(pod):
            if files.startswith(of_any_content) and files != served.engine_files:
                yield HealthProblem(
                    f"pod {metadata['name']} of the version before runs on and reads {files}",
                    _MEND,
                    "graph-never-ready",
                )


def _files_of(pod: _Object) -> Iterator[str]:
    for volume in pod.get("spec", {}).get("volumes") or []:
        sources = [volume, *((volume.get("projected") or {}).get("sources") or [])]
        yield from (source["configMap"].get("name", "") for source in sources if source.get("configMap"))


def _named(items: list[_Object], kind: str, name: str) -> _Object | None:
    return next((each for each in items if each["kind"] == kind and each["metadata"]["name"] == name), None)
