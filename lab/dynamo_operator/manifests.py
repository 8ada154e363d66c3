"""The objects that one graph becomes when Grove is not in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.dynamo_operator.components import (
    FRONTEND,
    KNOWN_TYPES,
    LABEL_COMPONENT,
    LABEL_GRAPH,
    LABEL_WORKER_HASH,
    PLANNER,
    dynamo_namespace,
    effective_type,
    is_worker,
    object_name,
)
from lab.dynamo_operator.containers import PLANNER_METRICS_PORT, SERVICE_PORT, SYSTEM_PORT
from lab.dynamo_operator.conversion import is_v1beta1
from lab.dynamo_operator.pod import (
    DISCOVERY_BACKEND,
    CannotReconcile,
    discovers_by_kubernetes,
    discovery_account,
    pod_spec,
)
from lab.dynamo_operator.rollout import deployment_strategy

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.configuration import OperatorConfiguration

KIND = "DynamoGraphDeployment"
_ENABLE_METRICS = "nvidia.com/enable-metrics"


@dataclass(frozen=True)
class Component:
    """One service of a graph in one generation; `worker_hash` is empty for what is not a worker."""

    graph: Manifest
    name: str
    service: Manifest
    worker_hash: str

    @property
    def object_name(self) -> str:
        """The name of its Deployment and Service."""
        return object_name(self.graph["metadata"]["name"], self.name, self.worker_hash)

    @property
    def replicas(self) -> int:
        """How many pods the person wants."""
        replicas: int = self.service.get("replicas", 1)
        return replicas

    @property
    def own_annotations(self) -> dict[str, str]:
        """Annotations of the Deployment: the component's over the graph's."""
        return (self.graph["spec"].get("annotations") or {}) | (self.service.get("annotations") or {})

    @property
    def pod_annotations(self) -> dict[str, str]:
        """Annotations of the pod template: the component's over the graph's."""
        extra: Manifest = self.service.get("extraPodMetadata") or {}
        return (self.graph["spec"].get("annotations") or {}) | (extra.get("annotations") or {})

    @property
    def settings(self) -> dict[str, str]:
        """Annotations by which a person steers the operator; v1beta1 components have the pod's only."""
        return self.pod_annotations if is_v1beta1(self.graph) else self.own_annotations

    @property
    def selector(self) -> dict[str, str]:
        """Labels that select exactly this generation's pods."""
        selector = {"nvidia.com/selector": object_name(self.graph["metadata"]["name"], self.name)}
        return selector | ({LABEL_WORKER_HASH: self.worker_hash} if self.worker_hash else {})


def components_of(graph: Manifest, worker_hash: str) -> list[Component]:
    """The graph's components in the generation of this worker hash.

    Raises CannotReconcile for what cannot be built on Deployments.
    """
    components = [
        Component(graph, name, service, worker_hash if is_worker(service) else "")
        for name, service in sorted(graph["spec"]["services"].items())
    ]
    for component in components:
        _refuse_what_cannot_be_built(component)
    return components


def deployment(component: Component, pod: Manifest, replicas: int) -> Manifest:
    """The component's Deployment."""
    extra: Manifest = component.service.get("extraPodMetadata") or {}
    common: dict[str, str] = component.graph["spec"].get("labels") or {}
    template_metadata: Manifest = {"labels": common | (extra.get("labels") or {}) | labels(component)}
    if component.pod_annotations:
        template_metadata["annotations"] = component.pod_annotations
    manifest = _owned(component.graph, "apps/v1", "Deployment", component.object_name)
    manifest["metadata"]["labels"] = common | (component.service.get("labels") or {}) | labels(component)
    if component.own_annotations:
        manifest["metadata"]["annotations"] = component.own_annotations
    manifest["spec"] = {
        "replicas": replicas,
        "selector": {"matchLabels": component.selector},
        "strategy": deployment_strategy(component.settings, component.replicas),
        "template": {"metadata": template_metadata, "spec": pod},
    }
    return manifest


def service(component: Component, configuration: OperatorConfiguration) -> Manifest:
    """The component's Service."""
    component_type = effective_type(component.service)
    name, port = {FRONTEND: ("http", SERVICE_PORT), PLANNER: ("metrics", PLANNER_METRICS_PORT)}.get(
        component_type, ("system", SYSTEM_PORT)
    )
    manifest = _owned(component.graph, "v1", "Service", component.object_name)
    manifest["metadata"]["labels"] = labels(component)
    if discovers_by_kubernetes(component.graph, configuration):
        manifest["metadata"]["labels"][DISCOVERY_BACKEND] = "kubernetes"
    manifest["spec"] = {
        "selector": component.selector,
        "ports": [{"name": name, "port": port, "targetPort": name, "protocol": "TCP"}],
    }
    return manifest


def labels(component: Component) -> dict[str, str]:
    """The labels on the component's objects and pods. `app.kubernetes.io/part-of` is not among them."""
    given = component.service
    metadata = component.graph["metadata"]
    result = component.selector | {
        LABEL_GRAPH: metadata["name"],
        LABEL_COMPONENT: component.name,
        "nvidia.com/dynamo-namespace": dynamo_namespace(component.graph, given),
    }
    if effective_type(given):
        result["nvidia.com/dynamo-component-type"] = effective_type(given)
    if given.get("subComponentType"):
        result["nvidia.com/dynamo-sub-component-type"] = given["subComponentType"]
    if (metadata.get("annotations") or {}).get(_ENABLE_METRICS) != "false":
        result["nvidia.com/metrics-enabled"] = "true"
    return result


def component_objects(
    component: Component, configuration: OperatorConfiguration, replicas: int, pull_secrets: list[str]
) -> list[Manifest]:
    """Service and Deployment of one component."""
    pod = pod_spec(component.graph, component.service, configuration, component.worker_hash, pull_secrets)
    return [service(component, configuration), deployment(component, pod, replicas)]


def shared_objects(graph: Manifest, configuration: OperatorConfiguration) -> list[Manifest]:
    """What a graph needs once: the claims that it asks for, and the right to find its own components."""
    objects = [_claim(graph, claim) for claim in graph["spec"].get("pvcs") or [] if claim.get("create")]
    if discovers_by_kubernetes(graph, configuration):
        objects += _discovery_rights(graph)
    return objects


def _refuse_what_cannot_be_built(component: Component) -> None:
    component_type = effective_type(component.service)
    if isinstance(component.service.get("frontendSidecar"), str):
        raise CannotReconcile(
            f"SIMULATED CLUSTER: component {component.name}: frontendSidecar of v1beta1 is not simulated"
        )
    if "multinode" in component.service:
        raise CannotReconcile(
            f"service {component.name}: multinode needs Grove or LeaderWorkerSet, and neither is installed"
        )
    if component_type not in KNOWN_TYPES:
        # The real operator writes a v1beta1 DynamoComponentDeployment, whose `type` is an enum.
        supported = ", ".join(f'"{known}"' for known in KNOWN_TYPES)
        raise CannotReconcile(
            f"failed to sync the DynamoComponentDeployment {component.object_name}: "
            f'spec.type: Unsupported value: "{component_type}": supported values: {supported}'
        )


def _claim(graph: Manifest, claim: Manifest) -> Manifest:
    manifest = _owned(graph, "v1", "PersistentVolumeClaim", claim["name"])
    manifest["spec"] = {
        "accessModes": [claim["volumeAccessMode"]],
        "storageClassName": claim["storageClass"],
        "resources": {"requests": {"storage": str(claim["size"])}},
    }
    return manifest


def _discovery_rights(graph: Manifest) -> list[Manifest]:
    name = discovery_account(graph)
    account = _owned(graph, "v1", "ServiceAccount", name)
    role = _owned(graph, "rbac.authorization.k8s.io/v1", "Role", name)
    read = ["get", "list", "watch"]
    role["rules"] = [
        {"apiGroups": [""], "resources": ["endpoints", "pods"], "verbs": read},
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": read},
        {
            "apiGroups": ["nvidia.com"],
            "resources": ["dynamoworkermetadatas"],
            "verbs": [*read, "create", "update", "patch", "delete"],
        },
    ]
    binding = _owned(graph, "rbac.authorization.k8s.io/v1", "RoleBinding", name)
    binding["roleRef"] = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    namespace = graph["metadata"]["namespace"]
    binding["subjects"] = [{"kind": "ServiceAccount", "name": name, "namespace": namespace}]
    return [account, role, binding]


def _owned(graph: Manifest, api_version: str, kind: str, name: str) -> Manifest:
    """An object that the garbage collector deletes with its graph."""
    metadata = graph["metadata"]
    owner = {
        # The version that the cluster serves: the garbage collector looks the owner up by it.
        "apiVersion": graph["apiVersion"],
        "kind": KIND,
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": metadata["namespace"], "ownerReferences": [owner]},
    }
