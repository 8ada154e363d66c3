"""What an update does: as a comparison says it, and as engine and API server show it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from comparison.changes import Effect, Operation, ResourceChange
from comparison.stack_comparison import GRAPH, StackComparison
from tests.serving_stacks.pods import gpus_of
from tests.support.lab_stack import GRAPH_LABEL
from tests.support.sandbox import Sandbox
from tests.updates.timeline import FRONTEND, Timeline
from tests.updates.watching import Event

GRAPHS: Mapping[str, frozenset[str]] = {
    "answers": frozenset({"prefill", "decode"}),
    "gpt-oss-agg": frozenset({"worker"}),
    "gpt-oss-disagg": frozenset({"prefill", "decode"}),
}
"""Name of a graph -> the kinds of worker that it needs to serve."""
_HELM = "meta.helm.sh/release-name"
_KINDS = (
    "configmaps",
    "secrets",
    "services",
    "namespaces",
    "persistentvolumes",
    "persistentvolumeclaims",
    "deployments.apps",
    "statefulsets.apps",
    "jobs.batch",
    "ingresses.networking.k8s.io",
    "networkpolicies.networking.k8s.io",
    "poddisruptionbudgets.policy",
    "computedomains.resource.nvidia.com",
    "dynamographdeployments.nvidia.com",
    "podmonitors.monitoring.coreos.com",
    "prometheusrules.monitoring.coreos.com",
)
_KUBERNETES = "kubernetes:"
_RELEASE = ":Release"
_COMES = {Operation.CREATE, Operation.REPLACE}
_GOES = {Operation.DELETE, Operation.REPLACE}
_GRAPH_CHILDREN = ("components", "services")


@dataclass(frozen=True)
class Outcome:
    """All that a reviewer decides by."""

    operations: dict[str, list[str]]
    """What the engine does -> to which resources, sorted."""
    came: frozenset[str]
    """Objects of the stack that the API server did not have before, under this name or with this uid."""
    went: frozenset[str]
    restarts: frozenset[str]
    """Of `workers` and `frontend`, those whose pods end."""
    interrupted: bool
    """Whether there is a time in which no complete set of workers is ready."""
    used_gpus: tuple[int, int]
    """Before and after."""


def nothing(used_gpus: int) -> Outcome:
    """Of an update that ends before it changes anything."""
    return Outcome(
        {}, frozenset(), frozenset(), frozenset(), interrupted=False, used_gpus=(used_gpus, used_gpus)
    )


def predicted(stack: StackComparison) -> Outcome:
    """What the comparison of two sides says."""
    changes = [change for each in stack.resources for change in _of_the_engine(each)]
    objects = [each for each in changes if _is_object(each)]
    return Outcome(
        operations=by_operation((each.operation.value, each.title) for each in changes),
        came=frozenset(each.title for each in objects if each.operation in _COMES),
        went=frozenset(_title_before(each) for each in objects if each.operation in _GOES),
        restarts=frozenset(_restarts(stack)),
        interrupted=stack.update.interruption is not None or bool(stack.ends_serving),
        used_gpus=(
            sum(each.used for each in stack.before.gpus),
            sum(each.used for each in stack.after.gpus),
        ),
    )


def observed(
    changes: Sequence[ResourceChange],
    objects: tuple[Mapping[str, str], Mapping[str, str]],
    events: Iterable[Event],
    begun: float,
    used_gpus: tuple[int, int],
) -> Outcome:
    """What happened.

    Args:
        changes: of the engine's own steps.
        objects: of the stack, name -> uid, before and after.
        events: what the API server told of pods, until those of before had ended.
        begun: when the update began, on the clock of the events.
        used_gpus: by pods of graphs, before and after.

    """
    before, after = objects
    # The frontend's old pods may still have been ending when `up` had all that it waits for.
    serving = Timeline.of(events, begun, GRAPHS)
    # A service that shrinks loses pods and restarts none; no case shrinks one.
    roles = {"frontend" if each.role == FRONTEND else "workers" for each in serving.deleted}
    return Outcome(
        operations=by_operation((each.operation.value, each.title) for each in changes),
        came=frozenset(key for key, uid in after.items() if before.get(key) != uid),
        went=frozenset(key for key, uid in before.items() if after.get(key) != uid),
        restarts=frozenset(roles),
        # Where nothing serves, nothing is interrupted.
        interrupted=used_gpus[0] > 0 and (serving.interruption > 0 or not serving.serves),
        used_gpus=used_gpus,
    )


def by_operation(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Sort operations and titles of resources: operation -> titles."""
    titles: dict[str, list[str]] = {}
    for operation, title in found:
        titles.setdefault(title, []).append(operation)
    result: dict[str, list[str]] = {}
    for title, operations in titles.items():
        # Another version of the API is another resource to the engine, and one name to everybody else.
        both = Counter(operations) == Counter({"create": 1, "delete": 1})
        result.setdefault("replace" if both else "+".join(sorted(operations)), []).append(title)
    return {operation: sorted(names) for operation, names in sorted(result.items())}


def uids(lab: Sandbox, titles: Iterable[str]) -> dict[str, str]:
    """Objects with these titles, `Kind namespace/name` -> uid; those that Helm keeps are its release's."""
    wanted = set(titles)
    found: dict[str, str] = {}
    # A cluster on which nothing was installed yet does not know all of them.
    known = lab.kubectl("api-resources", "--verbs=list", "-o", "name").stdout.split()
    kinds = ",".join(kind for kind in _KINDS if kind in known)
    for item in lab.get(kinds, "--all-namespaces")["items"]:
        metadata = item["metadata"]
        place = f"{metadata['namespace']}/" if "namespace" in metadata else ""
        title = f"{item['kind']} {place}{metadata['name']}"
        if title in wanted and _HELM not in metadata.get("annotations", {}):
            found[title] = metadata["uid"]
    return found


def graph_pods(lab: Sandbox) -> list[dict[str, Any]]:
    """All pods of graphs."""
    found: list[dict[str, Any]] = lab.get("pods", "--all-namespaces", "-l", GRAPH_LABEL)["items"]
    return found


def gpus_in_use(lab: Sandbox) -> int:
    """GPUs of the pods that run."""
    return sum(gpus_of(pod) for pod in graph_pods(lab) if pod["status"]["phase"] == "Running")


def _of_the_engine(change: ResourceChange) -> Iterable[ResourceChange]:
    if change.operation is Operation.KEEP:
        return
    if change.renamed_from is None:
        yield change
        return
    # To a reader one object that is changed; to the engine and the API server two.
    old = change.title.rpartition("/")[0] + f"/{change.renamed_from}"
    yield replace(change, operation=Operation.CREATE)
    yield replace(change, operation=Operation.DELETE, title=old)


def _is_object(change: ResourceChange) -> bool:
    return change.type.startswith(_KUBERNETES) and not change.type.endswith(_RELEASE)


def _title_before(change: ResourceChange) -> str:
    """The title on the older side, of what is made anew in another namespace."""
    namespaces = [each for each in change.fields if each.path == ("metadata", "namespace")]
    names = [each for each in change.fields if each.path == ("metadata", "name")]
    title = change.title
    for each in namespaces:
        title = title.replace(f" {each.after}/", f" {each.before}/")
    for each in names:
        title = title.removesuffix(str(each.after)) + str(each.before)
    return title


def _restarts(stack: StackComparison) -> Iterable[str]:
    if stack.update.restarts_workers:
        yield "workers"
    for change in stack.resources:
        if not change.type.endswith(GRAPH):
            continue
        if change.operation in {Operation.REPLACE, Operation.DELETE}:
            yield from ("workers", "frontend")
        for field in change.fields:
            if field.effect is Effect.ROLLS_PODS and _is_of_frontend(field.path):
                yield "frontend"


def _is_of_frontend(path: Sequence[str | int]) -> bool:
    is_of_service = len(path) > 2 and path[1] in _GRAPH_CHILDREN
    return not is_of_service or path[2] == "Frontend"
