"""Accounts and rights that a graph needs once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.components import owned
from lab.dynamo_operator.pod import discovers_by_kubernetes, discovery_account

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.installation import OperatorConfiguration

_PLANNER = "planner-serviceaccount"
_RBAC = "rbac.authorization.k8s.io"


def shared_objects(graph: Manifest, configuration: OperatorConfiguration) -> list[Manifest]:
    """The planner's account with its right, and that of the graph's pods to find each other."""
    return [*_planner_objects(graph, configuration), *_discovery_objects(graph, configuration)]


def _discovery_objects(graph: Manifest, configuration: OperatorConfiguration) -> list[Manifest]:
    """The right of a graph's pods to find each other; they go with the graph."""
    if not discovers_by_kubernetes(configuration, graph["metadata"].get("annotations") or {}):
        return []
    name = discovery_account(graph["metadata"]["name"])
    account = owned(graph, "v1", "ServiceAccount", name)
    role = owned(graph, f"{_RBAC}/v1", "Role", f"{name}-role")
    binding = owned(graph, f"{_RBAC}/v1", "RoleBinding", f"{name}-binding")
    read = ["get", "list", "watch"]
    role["rules"] = [
        {"apiGroups": [""], "resources": ["endpoints", "pods"], "verbs": read},
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": read},
        {
            "apiGroups": ["nvidia.com"],
            "resources": ["dynamoworkermetadatas"],
            "verbs": ["create", *read, "update", "patch", "delete"],
        },
    ]
    binding["roleRef"] = {"apiGroup": _RBAC, "kind": "Role", "name": f"{name}-role"}
    binding["subjects"] = [_subject(name, graph)]
    for each in (account, role, binding):
        each["metadata"]["labels"] = _labels(name)
    return [account, role, binding]


def _planner_objects(graph: Manifest, configuration: OperatorConfiguration) -> list[Manifest]:
    """The planner's account in every namespace with a graph; without an owner both outlive it."""
    if not configuration.planner_role:
        return []
    namespace = graph["metadata"]["namespace"]
    labels = _labels(_PLANNER)
    account: Manifest = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": _PLANNER, "namespace": namespace, "labels": labels},
    }
    binding: Manifest = {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": f"{_PLANNER}-binding", "namespace": namespace, "labels": labels},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": configuration.planner_role},
        "subjects": [_subject(_PLANNER, graph)],
    }
    return [account, binding]


def _subject(account: str, graph: Manifest) -> Manifest:
    return {"kind": "ServiceAccount", "name": account, "namespace": graph["metadata"]["namespace"]}


def _labels(name: str) -> dict[str, str]:
    return {
        "app.kubernetes.io/component": "rbac",
        "app.kubernetes.io/managed-by": "dynamo-operator",
        "app.kubernetes.io/name": name,
    }
