"""Names, namespaces and ids of objects."""

from __future__ import annotations

from typing import Any

from lab.kubernetes_provider import object_annotations
from lab.provider_service.naming import Autonaming, unique_name

# Cluster-scoped kinds of the SDK, for the time when the API server cannot be asked.
_CLUSTER_SCOPED = frozenset(
    {
        "APIService", "CertificateSigningRequest", "ClusterRole", "ClusterRoleBinding",
        "ClusterTrustBundle", "ComponentStatus", "CSIDriver", "CSINode", "CustomResourceDefinition",
        "DeviceClass", "FlowSchema", "IngressClass", "IPAddress", "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration", "Namespace", "Node",
        "PersistentVolume", "PriorityClass", "PriorityLevelConfiguration", "ResourceSlice",
        "RuntimeClass", "ServiceCIDR", "StorageClass", "StorageVersion", "StorageVersionMigration",
        "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
        "VolumeAttachment", "VolumeAttributesClass",
    }
)  # fmt: skip


class NamingError(Exception):
    """No name can be given to the object."""


def is_cluster_scoped(kind: str) -> bool:
    """Whether a kind of the SDK lies outside namespaces."""
    return kind in _CLUSTER_SCOPED


def resource_id(manifest: dict[str, Any]) -> str:
    """`namespace/name`, or `name` for an object without a namespace."""
    metadata = manifest["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]


def namespace_and_name(identifier: str) -> tuple[str, str]:
    """The reverse of resource_id; the namespace is empty when the id has none."""
    namespace, _, name = identifier.rpartition("/")
    return namespace, name


def adopt_old_name(inputs: dict[str, Any], old_inputs: dict[str, Any]) -> None:
    """An object that was named automatically keeps its name for as long as it is not replaced."""
    if _is_named(inputs) or not object_annotations.is_true(old_inputs, object_annotations.AUTONAMED):
        return
    _set_automatic_name(inputs, old_inputs["metadata"]["name"])


def assign_name(inputs: dict[str, Any], logical_name: str, seed: bytes, autonaming: Autonaming) -> None:
    """Names an object that has neither a name nor a generateName. Raises NamingError."""
    if _is_named(inputs):
        return
    if autonaming.forbidden:
        raise NamingError("automatic naming is disabled but no explicit name was provided")
    _set_automatic_name(inputs, autonaming.name or unique_name(logical_name, seed))


def _is_named(inputs: dict[str, Any]) -> bool:
    metadata = inputs.get("metadata", {})
    if not isinstance(metadata, dict):
        # Still unknown: the name may come with it.
        return True
    return bool(metadata.get("name")) or bool(metadata.get("generateName"))


def _set_automatic_name(inputs: dict[str, Any], name: str) -> None:
    metadata = inputs.setdefault("metadata", {})
    metadata["name"] = name
    if isinstance(metadata.setdefault("annotations", {}), dict):
        metadata["annotations"][object_annotations.AUTONAMED] = "true"
