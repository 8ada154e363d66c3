"""What the cluster says of its objects, by Kubernetes' own client, and why where it does not say."""

import ipaddress
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, urlencode, urlsplit

import yaml

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

KubernetesObject = dict[str, Any]

_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _FIRST_ERROR = 401, 403, 404, 400
_DEFAULT_KUBECONFIG = "~/.kube/config"


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


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """How to reach a cluster."""

    context: str
    kubeconfig: str | None
    """A file, or several as KUBECONFIG lists them; None: whatever KUBECONFIG leads to."""
    content: str | None
    """A kubeconfig that is in no file; empty: it is not known yet."""


def ask(
    address: ClusterAddress,
    kind: Kind,
    name: str = "",
    namespace: str | None = None,
    *,
    seconds: float,
    **selectors: str,
) -> Answer:
    """Return the object of this name, or all objects of the kind; `selectors` as the API names them.

    It never raises: what keeps the cluster from saying is an answer too.
    """
    if address.content == "":
        return Answer(Said.UNREACHABLE, why="the cluster's kubeconfig is not known yet")
    from kubernetes.config import ConfigException  # noqa: PLC0415 - it takes as long as a whole `check`

    try:
        files = address.kubeconfig or os.environ.get("KUBECONFIG") or _DEFAULT_KUBECONFIG
        client = _client(address.context, files, address.content)
    except (ConfigException, OSError, yaml.YAMLError, ValueError) as error:
        return Answer(Said.UNREACHABLE, why=_line(f"the kubeconfig leads nowhere: {type(error).__name__}"))
    if kind.version:
        return _get(client, kind.path(kind.version, name, namespace), seconds, selectors)
    version = _stored_version(client, kind, seconds)
    if isinstance(version, Answer):
        return version
    return _get(client, kind.path(version, name, namespace), seconds, selectors)


def version_stored_by(definition: Answer) -> str | None:
    """Return the version in which a definition's objects are stored; None where nobody says."""
    versions: Sequence[Mapping[str, Any]] = (definition.first or {}).get("spec", {}).get("versions") or []
    return next((str(version["name"]) for version in versions if version.get("storage")), None)


def _stored_version(client: "ApiClient", kind: Kind, seconds: float) -> str | Answer:
    definition = _get(client, DEFINITIONS.path("v1", f"{kind.plural}.{kind.group}"), seconds)
    if version := version_stored_by(definition):
        return version
    if definition.said is not Said.FORBIDDEN:
        return Answer(Said.ABSENT) if definition.is_known else definition
    # An account that may read one namespace alone reads no definitions, but may ask what is served.
    group = _get(client, f"/apis/{kind.group}", seconds)
    return str(group.first["preferredVersion"]["version"]) if group.first else group


def _get(
    client: "ApiClient", path: str, seconds: float, selectors: Mapping[str, str] | None = None
) -> Answer:
    from kubernetes.client import ApiException  # noqa: PLC0415 - as above
    from urllib3.exceptions import HTTPError  # noqa: PLC0415 - as above

    headers = {"Accept": "application/json"}
    query = f"?{urlencode(selectors)}" if selectors else ""
    url = f"{client.configuration.host}{path}{query}"
    try:
        client.update_params_for_auth(headers, [], ["BearerToken"], path, "GET", None)
        response = client.rest_client.request("GET", url, headers=headers, _request_timeout=seconds)
        data: bytes = response.read()
    except (ApiException, HTTPError, OSError) as error:
        return Answer(Said.UNREACHABLE, why=_line(f"the API server does not answer: {error}"))
    try:
        document: object = json.loads(data)
    except ValueError:
        document = None
    return _read(response.status, document if isinstance(document, dict) else {})


def _read(status: int, document: KubernetesObject) -> Answer:
    if status == _NOT_FOUND:
        # Of an object that is not there the server tells the name; of a kind, it only has no such page.
        named = (document.get("details") or {}).get("name")
        return Answer(Said.EMPTY if named else Said.ABSENT)
    if status in {_UNAUTHORIZED, _FORBIDDEN}:
        why = document.get("message") or f"the API server answers {status}"
        return Answer(Said.FORBIDDEN, why=_line(str(why)))
    if status >= _FIRST_ERROR or not document:
        why = document.get("message") or f"status {status}"
        return Answer(Said.UNREACHABLE, why=_line(f"the API server answers {why}"))
    items = document.get("items")
    return Answer.of(items if isinstance(items, list) else [document])


@lru_cache
def _client(context: str, files: str, content: str | None) -> "ApiClient":
    """One client for a process: each asks the kubeconfig's program, such as `aws`, for a token."""
    from kubernetes.client import ApiClient, Configuration  # noqa: PLC0415 - as above
    from kubernetes.config import load_kube_config, load_kube_config_from_dict  # noqa: PLC0415 - as above

    # Each question names its own limit of time.
    configuration = Configuration(retries=False)
    more = {"context": context, "client_configuration": configuration, "persist_config": False}
    if content is None:
        load_kube_config(config_file=files, **more)
    else:
        load_kube_config_from_dict(yaml.safe_load(content), **more)
    if _is_loopback(configuration.host):
        # As kubectl has it (golang.org/x/net/http/httpproxy, useProxy).
        configuration.proxy = None
    return ApiClient(configuration)


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _line(text: str) -> str:
    return " ".join(text.split())
