"""Ids of objects, and which kinds lie outside namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Manifest

# Cluster-scoped kinds of the SDK, for the time when the API server cannot be asked.
CLUSTER_SCOPED = frozenset(
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


def resource_id(manifest: Manifest) -> str:
    """`namespace/name`, or `name` for an object without a namespace."""
    metadata = manifest["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]


def namespace_and_name(identifier: str) -> tuple[str, str]:
    """The reverse of resource_id; the namespace is empty when the id has none."""
    namespace, _, name = identifier.rpartition("/")
    return namespace, name
