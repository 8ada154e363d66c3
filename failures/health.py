"""Whether what a stack has made serves: its graph, the claim with the model, the files that pods still read.

The engine asks none of this where nothing changes. A refresh forgets that a wait has failed, because the
provider reads no readiness of a custom resource (pulumi-kubernetes 4.32, provider/pkg/provider/provider.go,
Read), and the run after it would call a graph `unchanged` that never became ready.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from components.cluster_answer import CLAIMS, DEPLOYMENTS, PODS, Answer, Said
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_NAME, GRAPH_OBJECTS, GRAPHS, why_not_ready
from failures.pods_and_events import config_map_names, has_ended
from resource_graph.printable import one_line

_Object = Mapping[str, Any]
_AGAIN = "`pulumi up --refresh --stack {stack}` makes it again"
_MEND = "mend that, then `pulumi up --stack {stack}`: it waits again"


@dataclass(frozen=True, slots=True)
class ServingObjects:
    """The objects of a stack that have to be there and to work."""

    namespace: str
    """The namespace of the graph, the claim and its Job."""
    graph: str = ""
    """Empty where the stack has none, or none yet."""
    by_dynamo: bool = True
    """Whether a graph serves, and not the Deployment of a server without Dynamo."""
    engine_files: str | None = None
    """The ConfigMap that the graph's pods read now; its name ends in a hash of the content. None: they read
    none, or nobody knows."""
    claim: str | None = None
    """The model cache's claim; None where the model lies elsewhere, or in another stack."""
    own_claim: bool = True
    """Whether the stack makes the claim."""
    job: str | None = None
    """The Job that fills the cache, or checked it."""
    namespaces: tuple[str, ...] = ()
    """All namespaces whose end takes parts of the stack along."""

    @property
    def title(self) -> str:
        """What serves, as a person reads it."""
        return f"{'graph' if self.by_dynamo else 'server'} {self.namespace}/{self.graph}"


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
    about: Literal["claim", "definitions", "graph", "pod", "readiness", "silence"] = "graph"
    """Silence: nobody says how it is, as for seconds where a server starts anew."""

    def text(self, stack: str) -> str:
        """Return it as a person reads it."""
        return f"{self.what}\n  try: {self.then.format(stack=stack)}\n  runbook: docs/runbook/{self.page}.md"


def health_problems(cluster: ClusterReader, served: ServingObjects) -> tuple[HealthProblem, ...]:
    """Return what does not work; a cluster that does not say is not taken for a healthy one."""
    kind = GRAPH_OBJECTS if served.by_dynamo else DEPLOYMENTS
    serves = cluster.ask(kind, served.graph, served.namespace)
    name = served.claim if served.own_claim else None
    claim = cluster.ask(CLAIMS, name, served.namespace) if name else Answer(Said.EMPTY)
    for answer in (serves, claim):
        if not answer.is_known:
            silence = HealthProblem(
                f"{served.title} could not be looked at: {one_line(answer.why)}",
                "mend that, then `pulumi up --stack {stack}`",
                "api-server-restarted",
                may_pass=answer.said is Said.UNREACHABLE,
                about="silence",
            )
            return (silence,)
    claims = _claim_problems(claim.first, f"claim {served.namespace}/{name}") if name else ()
    problems = (*claims, *_serving_problems(serves, served))
    if problems:
        # The old pods of a graph that is not ready are no news.
        return problems
    selector = f"{GRAPH_NAME}={served.graph}"
    pods = cluster.ask(PODS, namespace=served.namespace, labelSelector=selector)
    return tuple(_readers_of_old_files(pods.items, served))


def _claim_problems(claim: _Object | None, name: str) -> Iterator[HealthProblem]:
    if claim is None:
        yield HealthProblem(
            f"{name} is gone, and the model with it",
            _AGAIN,
            "cache-volume-unbound",
            may_pass=False,
            about="claim",
        )
    elif "deletionTimestamp" in claim["metadata"]:
        yield replace(_being_deleted(name), about="claim")
    elif (phase := (claim.get("status") or {}).get("phase")) != "Bound":
        yield HealthProblem(
            f"{name} has no volume: it is {phase}", _MEND, "cache-volume-unbound", about="claim"
        )


def _serving_problems(serves: Answer, served: ServingObjects) -> Iterator[HealthProblem]:
    found = serves.first
    if serves.said is Said.ABSENT:
        yield HealthProblem(
            f"{served.title} is gone with its definition: the cluster has no {GRAPHS}",
            "make the definition again as the runbook says",
            "graph-deleted",
            may_pass=False,
            about="definitions",
        )
    elif found is None:
        yield HealthProblem(
            f"{served.title} is gone: somebody deleted it", _AGAIN, "graph-deleted", may_pass=False
        )
    elif "deletionTimestamp" in found["metadata"]:
        yield _being_deleted(served.title)
    elif reason := why_not_ready(found) if served.by_dynamo else _why_unavailable(found):
        what = f"{served.title} is not ready: {one_line(reason)}"
        yield HealthProblem(what, _MEND, "graph-never-ready", about="readiness")


def _why_unavailable(deployment: _Object) -> str | None:
    """Return why a Deployment does not serve as it was asked to; None where it does."""
    status, wanted = deployment.get("status") or {}, (deployment.get("spec") or {}).get("replicas", 1)
    if status.get("observedGeneration", 0) < deployment["metadata"].get("generation", 0):
        return "nobody has acted on its latest change yet"
    new, available = status.get("updatedReplicas", 0), status.get("availableReplicas", 0)
    if new < wanted or available < wanted:
        return f"{new} of {wanted} pods are of this version, and {available} answer"
    return None


def _being_deleted(name: str) -> HealthProblem:
    then = f"see what holds it; once it is gone, {_AGAIN}"
    return HealthProblem(f"{name} is being deleted", then, "deletion-hangs", may_pass=False)


def _readers_of_old_files(pods: Iterable[_Object], served: ServingObjects) -> Iterator[HealthProblem]:
    """A pod that starts anew after its ConfigMap went finds no files, and never starts."""
    # The name that recipes/engine_files.py gives them, whatever is in them.
    of_any_content = f"{served.graph}-engine-"
    for pod in pods:
        metadata = pod["metadata"]
        if has_ended(pod) or "deletionTimestamp" in metadata:
            continue
        for files in config_map_names(pod):
            if files.startswith(of_any_content) and files != served.engine_files:
                yield HealthProblem(
                    f"pod {metadata['name']} of the version before runs on and reads {files}",
                    _MEND,
                    "graph-never-ready",
                    about="pod",
                )
