"""The pods of a stack's graph: which one is missing, what serves in them, and why a frontend sees one not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

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
from operations.smoke.results import Judgement, wrong

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
        self,
        cluster: ClusterReader,
        namespace: str,
        graph: str,
        roles: Mapping[str, Sequence[str]],
        answers: str = FRONTEND,
    ) -> None:
        """Ask nothing yet.

        Args:
            cluster: where the graph is.
            namespace: of the graph.
            graph: its name.
            roles: component of the graph -> what its pods do.
            answers: the role that answers clients: without Dynamo the worker, which registers nowhere.

        """
        self._cluster = cluster
        self.roles = roles
        self.answers = answers
        self._namespace = namespace
        self._graph = graph
        self._pods = Objects(PODS, namespace=namespace, labels=f"{GRAPH_NAME}={graph}")

    def why_absent(self, roles: Iterable[str]) -> Judgement:
        """Return the state of the pods of these roles, or why nobody knows it; its fix is a command."""
        answer = self._cluster.find(self._pods)
        look = self._cluster.shown(self._pods, "--output", "wide")
        if not answer.is_known:
            return wrong("their pods cannot be read", look)
        wanted = set(roles)
        own = [name for name, roles in self.roles.items() if wanted & set(roles)]
        found = [state for name in own for state in self._states(name, answer.items)]
        closer = [each.fix for each in found if each.fix]
        return wrong("; ".join(each.found for each in found), closer[0] if closer else look)

    def other_names(self, model: str) -> list[str]:
        """Return which workers have registered other models than this one, each with its pod."""
        written = worker_models(self._cluster, self._namespace) or {}
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
        for pod in self.of_roles({FRONTEND}, self._cluster.find(self._pods).items):
            name = pod["metadata"]["name"]
            log = without_colours(self._cluster.log(name, "--namespace", self._namespace, _LOG_LINES))
            lines = [line for line in log.splitlines() if REFUSED in line]
            if lines:
                said = " ".join(lines[-1][lines[-1].index(REFUSED) :].split())
                found.append(f"pod {name} logs: {said[:_LONGEST_REFUSAL]}")
        return found

    def is_mock(self) -> bool | None:
        """Whether every worker's pod says that a mock engine serves in it; None where nobody can read them.

        One without the annotation means a real engine: nothing is excused by mistake.
        """
        answer = self._cluster.find(self._pods)
        if not answer.is_known:
            return None
        pods = self.of_roles(_SERVE, answer.items)
        return bool(pods) and all(map(is_mock, pods))

    def of_roles(self, roles: Set[str], pods: Iterable[KubernetesObject]) -> list[KubernetesObject]:
        """Return which of the pods are of components that have one of these roles."""
        components = {name.lower() for name, own in self.roles.items() if roles & set(own)}
        return [pod for pod in pods if component_of(pod) in components]

    def _states(self, service: str, of_graph: Sequence[KubernetesObject]) -> Iterator[Judgement]:
        pods = [pod for pod in of_graph if component_of(pod) == service.lower()]
        if not pods:
            yield self._without_pods(service)
        unready = [pod for pod in pods if not is_ready(pod)]
        for text, pod in zip(pod_causes(self._cluster, unready), unready, strict=True):
            yield wrong(f"pod {text}", log_command(self._cluster, pod))
        for pod in filter(is_ready, pods):
            said = f"pod {pod['metadata']['name']}: Ready, and"
            if self.answers in self.roles[service]:
                yield wrong(f"{said} it does not answer; {_LOG_SAYS}", log_command(self._cluster, pod))
            else:
                unseen = _why_unseen(self._cluster, self._namespace, pod)
                yield wrong(f"{said} not registered: {unseen.found}", unseen.fix)

    def _without_pods(self, service: str) -> Judgement:
        said = f"{service} has no pod"
        own = Objects(GRAPH_OBJECTS, self._graph, self._namespace)
        graph = self._cluster.find(own).first
        if graph is None:
            return wrong(said)
        look = self._cluster.shown(own, "--output", "yaml")
        if components_of(graph).get(service, {}).get("replicas") == 0:
            return wrong(f"{said}: graph {self._graph} asks for 0 replicas of it", look)
        operator = why_not_ready(graph)
        return wrong(f"{said}; the operator says: {operator}" if operator else said, look)


def log_command(cluster: ClusterReader, pod: KubernetesObject) -> str:
    """Return the command that shows a pod's log; empty where none of its containers has run.

    What a person wants to read of one that waits for a restart is the log of the run before.
    """
    states = container_statuses(pod)
    has_run = any(each.get("restartCount") or "running" in (each.get("state") or {}) for each in states)
    if not has_run:
        return ""
    waits = any(each.get("restartCount") and "waiting" in (each.get("state") or {}) for each in states)
    previous = ("--previous",) if waits else ()
    metadata = pod["metadata"]
    return cluster.command(
        "logs", metadata["name"], "--namespace", metadata["namespace"], "--tail=20", *previous
    )


def is_mock(pod: KubernetesObject) -> bool:
    """Whether a mock engine answers in the pod in the place of its image's."""
    return (pod["metadata"].get("annotations") or {}).get(ENGINE_ANNOTATION) == MOCK_ENGINE


def component_of(pod: KubernetesObject) -> str:
    """Return the component of the graph that a pod belongs to, in small letters; empty where none."""
    return str(labels_of(pod).get(COMPONENT, "")).lower()


_SERVICE = "kubernetes.io/service-name"
_LOOKED_AT = "services,endpointslices.discovery.k8s.io"
_LOG_SAYS = "its log says why"


def _why_unseen(cluster: ClusterReader, namespace: str, pod: KubernetesObject) -> Judgement:
    """Return what is missing of a Ready pod's registration."""
    name, labels, log = pod["metadata"]["name"], labels_of(pod), log_command(cluster, pod)
    if labels.get(DISCOVERY_BACKEND) != "kubernetes":
        return wrong(_LOG_SAYS, log)
    slices = cluster.ask(ENDPOINT_SLICES, namespace=namespace)
    own = [each for each in slices.items if name in _ready_in(each)]
    if slices.is_known and all(labels_of(each).get(DISCOVERY_ENABLED) != "true" for each in own):
        words = ("get", _LOOKED_AT, "--namespace", namespace, "--label-columns", DISCOVERY_ENABLED)
        return wrong(_unlabelled(own), cluster.command(*words))
    written = worker_models(cluster, namespace)
    if written is not None and name not in written:
        return wrong(f"it has written no DynamoWorkerMetadata; {_LOG_SAYS}", log)
    return wrong(_LOG_SAYS, log)


def worker_models(cluster: ClusterReader, namespace: str) -> Mapping[str, frozenset[str]] | None:
    """Return the models that each worker has registered, by its pod's name; None where nobody can tell."""
    found = cluster.ask(WORKER_METADATA, namespace=namespace)
    if not found.is_listed:
        return None
    return {each["metadata"]["name"]: frozenset(_models_of(each)) for each in found.items}


# Of PyPI package ai-dynamo 1.2.1; health and readiness stay good (ai-dynamo/dynamo#11178).
REFUSED = "Error adding model from discovery"
_LONGEST_REFUSAL = 400


def _unlabelled(own: Iterable[KubernetesObject]) -> str:
    label = f"the label {DISCOVERY_ENABLED}=true"
    services = sorted({labels_of(each).get(_SERVICE, "") for each in own})
    why = (
        f"the EndpointSlice of Service {', '.join(services)} lists it without {label}"
        if services
        else f"no EndpointSlice with {label} lists it as ready"
    )
    return f"{why}, and frontends look at no other; the label comes from the Service that the operator makes"


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
