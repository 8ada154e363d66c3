"""Why a frontend does not see a worker whose pod is Ready, where workers are discovered by Kubernetes.

An instance counts while an EndpointSlice with the label lists its pod as ready and a DynamoWorkerMetadata of
the pod's name exists: seen with PyPI package ai-dynamo 1.2.1, whose frontend without the label saw nothing.
Of two workers in one pod the second one's is named `<pod>-<container>`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from components.cluster_answer import ENDPOINT_SLICES, KubernetesObject
from components.cluster_reader import ClusterReader
from components.dynamo_objects import DISCOVERY_BACKEND, DISCOVERY_ENABLED, WORKER_METADATA

_SERVICE = "kubernetes.io/service-name"
_LOOKED_AT = "services,endpointslices.discovery.k8s.io"
_LOG = "its log says why"


@dataclass(frozen=True, slots=True)
class Unseen:
    """What is missing of a registration."""

    why: str
    look: tuple[str, ...] = ()
    """The words of the kubectl command that shows it; empty: that of the pod's log."""


def why_unseen(cluster: ClusterReader, namespace: str, pod: KubernetesObject) -> Unseen:
    """Return what is missing of a Ready pod's registration; where that cannot be read, where to look."""
    name, labels = pod["metadata"]["name"], pod["metadata"].get("labels") or {}
    if labels.get(DISCOVERY_BACKEND) != "kubernetes":
        return Unseen(_LOG)
    slices = cluster.ask(ENDPOINT_SLICES, namespace=namespace)
    own = [each for each in slices.items if name in _ready_in(each)]
    if slices.is_known and not any(_is_looked_at(each) for each in own):
        return _unlabelled(namespace, own)
    written = worker_models(cluster, namespace)
    if written is not None and name not in written:
        return Unseen(f"it has written no DynamoWorkerMetadata; {_LOG}")
    return Unseen(_LOG)


def registered_names(pod: KubernetesObject) -> tuple[str, ...]:
    """Return the names of what the workers of a pod may have written."""
    name = pod["metadata"]["name"]
    containers = pod.get("spec", {}).get("containers") or []
    return (name, *(f"{name}-{container['name']}" for container in containers))


def worker_models(cluster: ClusterReader, namespace: str) -> Mapping[str, frozenset[str]] | None:
    """Return the models that each worker has registered, by its pod's name; None where nobody can tell."""
    found = cluster.ask(WORKER_METADATA, namespace=namespace)
    if not found.is_listed:
        return None
    return {each["metadata"]["name"]: frozenset(_models(each)) for each in found.items}


def _unlabelled(namespace: str, own: Iterable[KubernetesObject]) -> Unseen:
    label = f"the label {DISCOVERY_ENABLED}=true"
    services = sorted({_labels(each).get(_SERVICE, "") for each in own})
    if services:
        why = f"the EndpointSlice of Service {', '.join(services)} lists it without {label}"
    else:
        why = f"no EndpointSlice with {label} lists it as ready"
    return Unseen(
        f"{why}, and frontends look at no other; the label comes from the Service that the operator makes",
        (
            "get",
            "services,endpointslices.discovery.k8s.io",
            "--namespace",
            namespace,
            "--label-columns",
            DISCOVERY_ENABLED,
        ),
    )


def _models(metadata: KubernetesObject) -> Iterable[str]:
    """The names on the worker's model cards; none where a release writes them otherwise."""
    for card in _inside(metadata, "spec", "data", "model_cards").values():
        name = _inside(card, "card_json").get("display_name")
        if name:
            yield str(name)


def _inside(value: Any, *keys: str) -> Mapping[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _is_looked_at(endpoints: KubernetesObject) -> bool:
    return _labels(endpoints).get(DISCOVERY_ENABLED) == "true"


def _labels(item: KubernetesObject) -> Mapping[str, str]:
    return item["metadata"].get("labels") or {}


def _ready_in(endpoints: KubernetesObject) -> set[str]:
    return {
        str((endpoint.get("targetRef") or {}).get("name"))
        for endpoint in endpoints.get("endpoints") or []
        if (endpoint.get("conditions") or {}).get("ready") is not False
    }
