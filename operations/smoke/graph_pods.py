"""The pods of a stack's graph, to say which one is missing, and what serves in them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from components.cluster_reader import ClusterReader, KubernetesObject
from components.dynamo_objects import COMPONENT, FRONTEND, GRAPH_NAME
from failures.pods_and_events import container_statuses, is_ready, pod_reasons
from operations.mock_engine import ENGINE_ANNOTATION, MOCK_ENGINE
from operations.smoke.discovery import why_unseen
from recipes.placed import PlacedService
from stacks.plan.stack_plan import ServingPlan


@dataclass(frozen=True, slots=True)
class Absence:
    """What is known of pods that should serve, and what to look at."""

    found: str
    look: str
    """A command."""


class GraphPods:
    """The pods of one graph; each question asks the cluster anew."""

    def __init__(self, cluster: ClusterReader, serving: ServingPlan) -> None:
        self._cluster = cluster
        self._services = serving.placed.services
        self._namespace = serving.namespace
        selector = f"{GRAPH_NAME}={serving.graph_name}"
        self._words = ("pods", "--namespace", self._namespace, "--selector", selector)

    def why_absent(self, roles: Iterable[str]) -> Absence:
        """Return the state of the pods of these roles, or why nobody knows it."""
        pods = self._cluster.items(*self._words)
        look = self._cluster.command("get", *self._words, "--output", "wide")
        if pods is None:
            return Absence("their pods cannot be read", look)
        services = [service for service in self._services if service.role in set(roles)]
        own = [(service, _of(service, pods)) for service in services]
        texts = [text for service, found in own for text in self._states(service, found)]
        started = next((pod for _, found in own for pod in found if _has_log(pod)), None)
        return Absence("; ".join(texts), look if started is None else self._log(started))

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

    def _states(self, service: PlacedService, pods: Sequence[KubernetesObject]) -> Iterator[str]:
        if not pods:
            yield f"{service.name} has no pod"
        for text in pod_reasons(pods):
            yield f"pod {text}"
        for pod in filter(is_ready, pods):
            name = pod["metadata"]["name"]
            if service.role == FRONTEND:
                yield f"pod {name}: Ready, and it does not answer; its log says why"
            else:
                why = why_unseen(self._cluster, self._namespace, pod)
                yield f"pod {name}: Ready, and not registered: {why}"

    def _log(self, pod: KubernetesObject) -> str:
        previous = ("--previous",) if _waits_for_restart(pod) else ()
        name = pod["metadata"]["name"]
        return self._cluster.command("logs", name, "--namespace", self._namespace, "--tail=20", *previous)


def _of(service: PlacedService, pods: Sequence[KubernetesObject]) -> list[KubernetesObject]:
    return [pod for pod in pods if _component(pod) == service.name.lower()]


def _has_log(pod: KubernetesObject) -> bool:
    """Whether a container of it has ever run."""
    return any(
        each.get("restartCount") or "running" in (each.get("state") or {}) for each in container_statuses(pod)
    )


def _waits_for_restart(pod: KubernetesObject) -> bool:
    """Whether what a person wants to read is the log of the run before."""
    return any(
        each.get("restartCount") and "waiting" in (each.get("state") or {})
        for each in container_statuses(pod)
    )


def _component(pod: KubernetesObject) -> str:
    return str((pod["metadata"].get("labels") or {}).get(COMPONENT, "")).lower()


def _annotation(pod: KubernetesObject) -> str:
    return str((pod["metadata"].get("annotations") or {}).get(ENGINE_ANNOTATION, ""))
