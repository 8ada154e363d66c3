"""From what pods did during an update to what a client noticed of it; simulated pods load no model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from tests.support.lab_stack import GRAPH_LABEL
from tests.updates.watching import Event

COMPONENT_TYPE = "nvidia.com/dynamo-component-type"
WORKER_HASH = "nvidia.com/dynamo-worker-hash"
FRONTEND = "frontend"


@dataclass(frozen=True)
class Pod:
    """One pod of a graph, at one moment."""

    name: str
    graph: str
    role: str
    """frontend, prefill, decode or worker."""
    generation: str
    """Hash of the workers; empty for the frontend."""
    ready: bool

    @classmethod
    def of(cls, event: Event) -> Self | None:
        """The pod that the event tells of; None for one of no graph."""
        metadata = event.object["metadata"]
        labels = metadata.get("labels", {})
        if GRAPH_LABEL not in labels:
            return None
        conditions = event.object.get("status", {}).get("conditions") or []
        ready = any((each["type"], each["status"]) == ("Ready", "True") for each in conditions)
        return cls(
            metadata["name"],
            labels[GRAPH_LABEL],
            labels[COMPONENT_TYPE],
            labels.get(WORKER_HASH, ""),
            ready and event.kind != "DELETED" and "deletionTimestamp" not in metadata,
        )


@dataclass
class Timeline:
    """The pods of a namespace's graphs over one update."""

    workers: Mapping[str, frozenset[str]]
    """Graph -> the kinds of worker that it needs to serve."""
    created: list[Pod] = field(default_factory=list)
    deleted: list[Pod] = field(default_factory=list)
    first_created: int | None = None
    """The revision of the cluster in which the first worker of the update was created."""
    last_ready: int = 0
    """The one in which a pod became ready for the last time."""
    interruption: float = 0.0
    """Seconds in which no generation had a ready worker of each kind."""
    serves: bool = True
    """Whether one has, at the end."""

    @classmethod
    def of(cls, events: Iterable[Event], begun: float, workers: Mapping[str, frozenset[str]]) -> Self:
        """Read the events; those before `begun` tell of what was there."""
        timeline = cls(workers)
        pods: dict[str, Pod] = {}
        gap_since: float | None = None
        for event in events:
            pod = Pod.of(event)
            if pod is None:
                continue
            timeline._note(event, pod, pods.get(pod.name), begun)
            pods[pod.name] = pod
            if event.at < begun:
                continue
            if timeline._serves(pods.values()):
                timeline.interruption += event.at - gap_since if gap_since else 0.0
                gap_since = None
            elif gap_since is None:
                gap_since = event.at
        timeline.serves = gap_since is None
        return timeline

    @property
    def roles_created(self) -> list[str]:
        """The roles of the pods that came, sorted."""
        return sorted(pod.role for pod in self.created)

    @property
    def roles_deleted(self) -> list[str]:
        """The roles of the pods that went, sorted."""
        return sorted(pod.role for pod in self.deleted)

    def _note(self, event: Event, pod: Pod, before: Pod | None, begun: float) -> None:
        if event.at < begun:
            return
        if event.kind == "ADDED":
            self.created.append(pod)
            if pod.role != FRONTEND and self.first_created is None:
                self.first_created = event.version
        if event.kind == "DELETED":
            self.deleted.append(pod)
        if pod.ready and not (before and before.ready):
            self.last_ready = event.version

    def _serves(self, pods: Iterable[Pod]) -> bool:
        there: dict[tuple[str, str], set[str]] = {}
        for pod in pods:
            if pod.ready and pod.role != FRONTEND:
                there.setdefault((pod.graph, pod.generation), set()).add(pod.role)
        return any(roles >= self.workers[graph] for (graph, _), roles in there.items())
