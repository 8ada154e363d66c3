"""What the cluster says of its objects, and why where it does not say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Any, Self
from urllib.parse import quote

KubernetesObject = dict[str, Any]


class Said(StrEnum):
    """What an answer is."""

    FOUND = auto()
    EMPTY = auto()
    """The server has the kind, and no such object."""
    ABSENT = auto()
    """The server has no such kind: its definition is not there."""
    FORBIDDEN = auto()
    """The server refuses to say."""
    UNREACHABLE = auto()
    """Nobody answers, or the answer is an error of the server's."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of objects, as the API's paths name it."""

    plural: str
    group: str = ""
    version: str | None = "v1"
    """None: whichever the server stores. Any other version has to be converted, which an operator's webhook
    does, and nothing can be read while that is away."""

    @classmethod
    def of_definition(cls, name: str) -> Self:
        """Return the kind of a CustomResourceDefinition, such as `widgets.example.com`."""
        plural, _, group = name.partition(".")
        return cls(plural, group, None)

    def path(self, version: str, name: str = "", namespace: str | None = None) -> str:
        """Return where the server has these objects, or this one."""
        root = f"/apis/{self.group}/{version}" if self.group else f"/api/{version}"
        within = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        return f"{root}{within}/{self.plural}" + (f"/{quote(name, safe='')}" if name else "")


CLAIMS = Kind("persistentvolumeclaims")
DAEMON_SETS = Kind("daemonsets", "apps")
DEFINITIONS = Kind("customresourcedefinitions", "apiextensions.k8s.io")
DEPLOYMENTS = Kind("deployments", "apps")
ENDPOINT_SLICES = Kind("endpointslices", "discovery.k8s.io")
EVENTS = Kind("events")
JOBS = Kind("jobs", "batch")
NAMESPACES = Kind("namespaces")
NODES = Kind("nodes")
PODS = Kind("pods")
SERVICES = Kind("services")
STATEFUL_SETS = Kind("statefulsets", "apps")
STORAGE_CLASSES = Kind("storageclasses", "storage.k8s.io")
VOLUMES = Kind("persistentvolumes")
KINDS: Mapping[str, Kind] = {
    "ComputeDomain": Kind.of_definition("computedomains.resource.nvidia.com"),
    "ConfigMap": Kind("configmaps"),
    "DaemonSet": DAEMON_SETS,
    "Deployment": DEPLOYMENTS,
    "Ingress": Kind("ingresses", "networking.k8s.io"),
    "Job": JOBS,
    "Namespace": NAMESPACES,
    "NetworkPolicy": Kind("networkpolicies", "networking.k8s.io"),
    "PersistentVolume": VOLUMES,
    "PersistentVolumeClaim": CLAIMS,
    "PodDisruptionBudget": Kind("poddisruptionbudgets", "policy"),
    "PodMonitor": Kind.of_definition("podmonitors.monitoring.coreos.com"),
    "PrometheusRule": Kind.of_definition("prometheusrules.monitoring.coreos.com"),
    "Secret": Kind("secrets"),
    "Service": SERVICES,
    "StatefulSet": STATEFUL_SETS,
    "StorageClass": STORAGE_CLASSES,
}
"""Kinds that stacks make, by the names that manifests give them; Dynamo's own are in dynamo_objects.py."""


@dataclass(frozen=True, slots=True)
class Objects:
    """What a question is about: one object, or all of a kind."""

    kind: Kind
    name: str = ""
    namespace: str | None = None
    """None: of a kind without namespaces, or of all of them."""
    labels: str = ""
    """A selector, as the API takes it."""

    @property
    def where(self) -> tuple[str, ...]:
        """The options by which kubectl finds them."""
        namespace = ("--namespace", self.namespace) if self.namespace else ()
        return (*namespace, *(("--selector", self.labels) if self.labels else ()))


@dataclass(frozen=True, slots=True)
class Answer:
    """The cluster's answer to one question."""

    said: Said
    items: Sequence[KubernetesObject] = ()
    """The objects; none but for FOUND."""
    why: str = ""
    """Why the cluster does not say, in one line; empty where it does."""

    @classmethod
    def of(cls, items: Sequence[KubernetesObject]) -> Self:
        """Return the answer with these objects."""
        return cls(Said.FOUND if items else Said.EMPTY, items)

    @property
    def is_known(self) -> bool:
        """Whether the cluster says what there is, be it nothing."""
        return not self.why

    @property
    def is_listed(self) -> bool:
        """Whether the server has the kind, and says which objects there are."""
        return self.said in {Said.FOUND, Said.EMPTY}

    @property
    def first(self) -> KubernetesObject | None:
        """The object that was asked for by its name; None where there is none, or nobody says."""
        return self.items[0] if self.items else None


def labels_of(item: KubernetesObject) -> Mapping[str, str]:
    """Return the labels of an object; empty where it has none."""
    return item["metadata"].get("labels") or {}


def conditions_of(item: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return what the object's controller reports of it; nothing where it has reported nothing yet."""
    return (item.get("status") or {}).get("conditions") or []


def condition_of(item: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """Return the condition of this type; empty where the object has none."""
    return next((each for each in conditions_of(item) if each["type"] == kind), {})
