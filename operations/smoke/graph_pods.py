"""The pods of a stack's graph, to say which one is missing, and what serves in them."""

from collections.abc import Iterable, Sequence

from components.cluster_reader import ClusterReader, KubernetesObject
from components.dynamo_objects import COMPONENT, FRONTEND, GRAPH_NAME
from failures.pods_and_events import is_ready, pod_reasons
from recipes.placed import PlacedService
from stacks.plan.stack_plan import ServingPlan

ENGINE_ANNOTATION = "dynamo-stack.lab/engine"
"""On a pod: what answers in it is not the engine of its image, but what the value says."""
MOCK_ENGINE = "mock"
"""Value of the annotation: `dynamo.mocker`, whose answers are tokens at random."""


class GraphPods:
    """The pods of one graph; each question asks the cluster anew."""

    def __init__(self, cluster: ClusterReader, serving: ServingPlan) -> None:
        self._cluster = cluster
        self._services = serving.placed.services
        self._words = (
            "pods",
            "--namespace",
            serving.namespace,
            "--selector",
            f"{GRAPH_NAME}={serving.graph_name}",
        )

    def say_why_absent(self, roles: Iterable[str]) -> str:
        """Return the state of the pods of these roles, or why nobody knows it."""
        pods = self._cluster.items(*self._words)
        if pods is None:
            return f"their pods cannot be read: `{self._cluster.command('get', *self._words)}`"
        services = [service for service in self._services if service.role in set(roles)]
        return "; ".join(_state(service, pods) for service in services)

    def look(self) -> str:
        """Return the command with which a person sees them."""
        return self._cluster.command("get", *self._words, "--output", "wide")

    def is_mock(self) -> bool | None:
        """Whether every worker's pod says that a mock engine serves in it; None where nobody can read them.

        One without the annotation means a real engine: nothing is excused by mistake.
        """
        workers = {service.name.lower() for service in self._services if service.role != FRONTEND}
        pods = self._cluster.items(*self._words)
        if pods is None:
            return None
        engines = [_annotation(pod) for pod in pods if _component(pod) in workers]
        return bool(engines) and all(engine == MOCK_ENGINE for engine in engines)


def _state(service: PlacedService, pods: Sequence[KubernetesObject]) -> str:
    own = [pod for pod in pods if _component(pod) == service.name.lower()]
    if not own:
        return f"{service.name} has no pod"
    silent = [
        f"{pod['metadata']['name']}: Ready, and not registered: its log says why"
        for pod in own
        if is_ready(pod)
    ]
    return "; ".join(f"pod {text}" for text in (*pod_reasons(own), *silent))


def _component(pod: KubernetesObject) -> str:
    return str((pod["metadata"].get("labels") or {}).get(COMPONENT, "")).lower()


def _annotation(pod: KubernetesObject) -> str:
    return str((pod["metadata"].get("annotations") or {}).get(ENGINE_ANNOTATION, ""))
