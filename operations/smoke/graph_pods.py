"""The pods of a stack's graph: which one is missing, what serves in them, and why a frontend sees one not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from components.cluster_answer import ENDPOINT_SLICES, PODS, KubernetesObject, Objects, labels_of
from components.cluster_reader import ClusterReader
from components.dynamo_objects import (
    COMPONENT,
    DISCOVERY_BACKEND,
    DISCOVERY_ENABLED,
    FRONTEND,
    GRAPH_NAME,
    GRAPH_OBJECTS,
    WORKER_METADATA,
    components_of,
    why_not_ready,
)
from failures.explanation import without_colours
from failures.pods_and_events import container_statuses, is_ready, pod_causes
from operations.document import CheckResult, wrong
from resource_graph.printable import one_line

ENGINE_ANNOTATION = "dynamo-stack.lab/engine"
"""On a pod whose engine is not the one of its image; its value says which one it is."""
MOCK_ENGINE = "mock"
"""`dynamo.mocker`, whose answers are tokens at random."""
_LOG_LINES = "--tail=2000"
_SERVE = frozenset({"worker", "prefill", "decode"})
"""Roles of workers; a planner or an endpoint picker runs no engine."""


class GraphPods:
    """The pods of one graph; each question asks the cluster anew."""

    def __init__(
        self, cluster: ClusterReader, namespace: str, graph: str, roles: Mapping[str, Sequence[str]]
    ) -> None:
        """Ask nothing yet; `roles`: component of the graph -> what its pods do."""
        self._cluster = cluster
        self._roles = roles
        self._namespace = namespace
        self._graph = graph
        self._pods = Objects(PODS, namespace=namespace, labels=f"{GRAPH_NAME}={graph}")

    def why_absent(self, roles: Iterable[str]) -> CheckResult:
        """Return the state of the pods of these roles, or why nobody knows it; its fix is a command."""
        answer = self._cluster.find(self._pods)
        look = self._cluster.shown(self._pods, "--output", "wide")
        if not answer.is_known:
            return wrong("their pods cannot be read", look)
        own = {name: own for name, own in self._roles.items() if {*roles} & {*own}}
        found = [
            state
            for name, each in own.items()
            for state in self._states(name, pods_of({name: each}, each, answer.items))
        ]
        closer = [each.fix for each in found if each.fix]
        return wrong("; ".join(each.found for each in found), closer[0] if closer else look)

    def other_names(self, model: str) -> list[str]:
        """Return which workers have registered other models than this one, each with its pod."""
        metadata = self._cluster.ask(WORKER_METADATA, namespace=self._namespace).items
        written = {each["metadata"]["name"]: {*_models_of(each)} for each in metadata}
        found: list[str] = []
        for pod in self._cluster.find(self._pods).items:
            name = pod["metadata"]["name"]
            containers = pod.get("spec", {}).get("containers") or []
            # Each of several workers in a pod registers by the name of its container.
            for each in (name, *(f"{name}-{container['name']}" for container in containers)):
                models = written.get(each)
                if models and model not in models:
                    found.append(f"pod {name} has registered as {', '.join(sorted(models))}")
        return found

    def refused_models(self) -> list[str]:
        """Return what the frontends' logs say of models that they do not list."""
        found: list[str] = []
        for pod in pods_of(self._roles, [FRONTEND], self._cluster.find(self._pods).items):
            name = pod["metadata"]["name"]
            log = without_colours(self._cluster.log(name, "--namespace", self._namespace, _LOG_LINES))
            said = [line[line.index(REFUSED) :] for line in log.splitlines() if REFUSED in line]
            found += [f"pod {name} logs: {one_line(line[:_LONGEST_REFUSAL])}" for line in said[-1:]]
        return found

    def is_mock(self) -> bool | None:
        """Whether every worker's pod says that a mock engine serves in it; None where nobody can read them.

        One without the annotation means a real engine: nothing is excused by mistake.
        """
        answer = self._cluster.find(self._pods)
        if not answer.is_known:
            return None
        pods = pods_of(self._roles, _SERVE, answer.items)
        return bool(pods) and all(map(is_mock, pods))

    def _states(self, service: str, pods: Sequence[KubernetesObject]) -> Iterator[CheckResult]:
        if not pods:
            yield self._without_pods(service)
        unready = [pod for pod in pods if not is_ready(pod)]
        for text, pod in zip(pod_causes(self._cluster, unready), unready, strict=True):
            yield wrong(f"pod {text}", log_command(self._cluster, pod))
        for pod in filter(is_ready, pods):
            said = f"pod {pod['metadata']['name']}: Ready, and"
            if FRONTEND in self._roles[service]:
                yield wrong(f"{said} it does not answer; {_LOG_SAYS}", log_command(self._cluster, pod))
            else:
                unseen = _why_unseen(self._cluster, self._namespace, pod)
                yield wrong(f"{said} not registered: {unseen.found}", unseen.fix)

    def _without_pods(self, service: str) -> CheckResult:
        said = f"{service} has no pod"
        own = Objects(GRAPH_OBJECTS, self._graph, self._namespace)
        graph = self._cluster.find(own).first
        if graph is None:
            return wrong(said)
        look = self._cluster.shown(own, "--output", "yaml")
        if components_of(graph).get(service, {}).get("replicas") == 0:
            return wrong(f"{said}: graph {self._graph} asks for 0 replicas of it", look)
        return wrong(f"{said}; the operator says: {why_not_ready(graph) or 'ready'}", look)


def log_command(cluster: ClusterReader, pod: KubernetesObject) -> str:
    """Return the command that shows a pod's log; empty where none of its containers has run.

    What a person wants to read of one that waits for a restart is the log of the run before.
    """
    states = [(each.get("state") or {}, each.get("restartCount")) for each in container_statuses(pod)]
    if not any(restarts or "running" in state for state, restarts in states):
        return ""
    waits = any(restarts and "waiting" in state for state, restarts in states)
    metadata = pod["metadata"]
    words = (metadata["name"], "--namespace", metadata["namespace"], "--tail=20")
    return cluster.command("logs", *words, *(("--previous",) if waits else ()))


def is_mock(pod: KubernetesObject) -> bool:
    """Whether a mock engine answers in the pod in the place of its image's."""
    return (pod["metadata"].get("annotations") or {}).get(ENGINE_ANNOTATION) == MOCK_ENGINE


def pods_of(
    components: Mapping[str, Sequence[str]], roles: Iterable[str], pods: Iterable[KubernetesObject]
) -> list[KubernetesObject]:
    """Return which pods have one of the roles; `components`: component of the graph -> what its pods do."""
    names = {name.lower() for name, own in components.items() if {*roles} & {*own}}
    return [pod for pod in pods if str(labels_of(pod).get(COMPONENT, "")).lower() in names]


_SERVICE = "kubernetes.io/service-name"
_LOOKED_AT = "services,endpointslices.discovery.k8s.io"
_LOG_SAYS = "its log says why"


def _why_unseen(cluster: ClusterReader, namespace: str, pod: KubernetesObject) -> CheckResult:
    """Return what is missing of a Ready pod's registration."""
    slices = cluster.ask(ENDPOINT_SLICES, namespace=namespace)
    own = [labels_of(each) for each in slices.items if pod["metadata"]["name"] in _ready_in(each)]
    is_listed = any(each.get(DISCOVERY_ENABLED) == "true" for each in own)
    if labels_of(pod).get(DISCOVERY_BACKEND) != "kubernetes" or not slices.is_known or is_listed:
        return wrong(_LOG_SAYS, log_command(cluster, pod))
    label = f"the label {DISCOVERY_ENABLED}=true"
    services = ", ".join(sorted({each.get(_SERVICE, "") for each in own}))
    why = (
        f"the EndpointSlice of Service {services} lists it without {label}"
        if services
        else f"no EndpointSlice with {label} lists it as ready"
    )
    words = ("get", _LOOKED_AT, "--namespace", namespace, "--label-columns", DISCOVERY_ENABLED)
    known = "frontends look at no other; the label comes from the Service that the operator makes"
    return wrong(f"{why}, and {known}", cluster.command(*words))


# Of PyPI package ai-dynamo 1.2.1; health and readiness stay good (ai-dynamo/dynamo#11178).
REFUSED = "Error adding model from discovery"
_LONGEST_REFUSAL = 400


def _models_of(metadata: KubernetesObject) -> Iterable[str]:
    """The names on the worker's model cards; none where a release writes them otherwise."""
    data = metadata.get("spec", {}).get("data") or {}
    cards = (data.get("model_cards") or {}).values()
    yield from (name for card in cards if (name := (card.get("card_json") or {}).get("display_name")))


def _ready_in(endpoints: KubernetesObject) -> set[str]:
    return {
        str((endpoint.get("targetRef") or {}).get("name"))
        for endpoint in endpoints.get("endpoints") or []
        if (endpoint.get("conditions") or {}).get("ready") is not False
    }
