"""Fields of Kubernetes objects that cannot be changed in place.

REPLACED is what pulumi-kubernetes 4.32.0 replaces for (provider/pkg/provider/diff.go; facts/previews.md §3a);
every kind's name and namespace are among it. REFUSED is what it calls an update and the API server refuses
(kubernetes pkg/apis/*/validation 1.36; facts/previews.md §3b). Both are read by group and kind.
"""

from collections.abc import Mapping, Sequence

from comparison.engine_verdicts.patterns import patterns

Kind = tuple[str, str]
Patterns = Sequence[tuple[str, ...]]

IDENTITY = patterns("metadata.name", "metadata.namespace")

_CONTAINER_FIELDS = (
    "args", "command", "env", "image", "imagePullPolicy", "lifecycle", "livenessProbe", "ports",
    "readinessProbe", "resources", "securityContext", "stdin", "stdinOnce", "terminationMessagePath",
    "terminationMessagePolicy", "tty", "volumeDevices", "volumeMounts", "workingDir",
)  # fmt: skip
_POD_FIELDS = (
    "affinity", "automountServiceAccountToken", "dnsConfig", "dnsPolicy", "enableServiceLinks",
    "hostAliases", "hostIPC", "hostNetwork", "hostPID", "hostname", "imagePullSecrets", "nodeName",
    "nodeSelector", "overhead", "preemptionPolicy", "priority", "priorityClassName", "readinessGates",
    "restartPolicy", "runtimeClassName", "schedulerName", "securityContext", "serviceAccount",
    "serviceAccountName", "shareProcessNamespace", "subdomain", "terminationGracePeriodSeconds", "volumes",
)  # fmt: skip
_VOLUME_SOURCES = (
    "awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "csi", "fc", "flexVolume",
    "flocker", "gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local", "nfs",
    "photonPersistentDisk", "portworxVolume", "quobyte", "rbd", "scaleIO", "storageos", "vsphereVolume",
)  # fmt: skip


def _spec(*fields: str) -> Patterns:
    return patterns(*(f"spec.{field}" for field in fields))


REPLACED: Mapping[Kind, Patterns] = {
    ("", "ConfigMap"): patterns("data", "binaryData"),
    ("", "PersistentVolume"): _spec(*_VOLUME_SOURCES),
    ("", "PersistentVolumeClaim"): _spec("accessModes", "selector", "storageClassName", "volumeName"),
    ("", "Pod"): _spec(
        *_POD_FIELDS,
        *(f"{kind}.*.{field}" for kind in ("containers", "initContainers") for field in _CONTAINER_FIELDS),
    ),
    ("", "ResourceQuota"): _spec("scopes"),
    ("", "Secret"): patterns("type", "data", "stringData"),
    ("", "Service"): _spec("clusterIP"),
    ("apps", "DaemonSet"): _spec("selector"),
    ("apps", "Deployment"): _spec("selector"),
    ("apps", "StatefulSet"): _spec(
        "selector", "serviceName", "podManagementPolicy", "revisionHistoryLimit", "volumeClaimTemplates"
    ),
    ("batch", "Job"): _spec("selector", "template", "completions", "parallelism"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): patterns("roleRef"),
    ("rbac.authorization.k8s.io", "RoleBinding"): patterns("roleRef"),
    ("storage.k8s.io", "StorageClass"): patterns("parameters", "provisioner"),
}

REPLACED_IF_MUTABLE: Mapping[Kind, Patterns] = {
    ("", "ConfigMap"): (),
    ("", "Secret"): patterns("type"),
}
"""The same where the provider may change content in place (enableConfigMapMutable, enableSecretMutable) and
the object is not immutable."""

MUTABLE_SETTING: Mapping[Kind, str] = {
    ("", "ConfigMap"): "enableConfigMapMutable",
    ("", "Secret"): "enableSecretMutable",
}
"""Input of the provider that allows so."""

REFUSED: Mapping[Kind, Patterns] = {
    ("", "PersistentVolume"): _spec("volumeMode", "nodeAffinity"),
    ("", "PersistentVolumeClaim"): _spec("volumeMode", "dataSource", "dataSourceRef"),
    ("", "Service"): _spec("ipFamilies", "loadBalancerClass"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _spec(
        "group", "names.plural", "names.kind", "scope"
    ),
    ("batch", "Job"): _spec(
        "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"
    ),
    ("resource.k8s.io", "ResourceClaim"): patterns("spec"),
    ("resource.k8s.io", "ResourceClaimTemplate"): patterns("spec"),
    # CEL rule of the CRD: self == oldSelf (crds/computedomain.v1beta1.*.json).
    ("resource.nvidia.com", "ComputeDomain"): patterns("spec"),
    ("scheduling.k8s.io", "PriorityClass"): patterns("value", "preemptionPolicy"),
    ("storage.k8s.io", "StorageClass"): patterns("reclaimPolicy", "volumeBindingMode"),
}

POD_TEMPLATES: Mapping[Kind, Patterns] = {
    ("apps", "DaemonSet"): _spec("template"),
    ("apps", "Deployment"): _spec("template"),
    ("apps", "StatefulSet"): _spec("template"),
}
"""Where a change starts other pods (facts/previews.md §3c)."""

BUILT_IN_GROUPS = frozenset(
    {
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "autoscaling",
        "batch",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    }
)
"""Groups that the SDK has classes for: such an object keeps its identity through another API version, as each
class names the others as aliases (facts/provider.md §4)."""


def kind_of(api_version: str | None, kind: str | None) -> Kind:
    """Return the group and the kind by which the tables are read."""
    return (api_version or "").rpartition("/")[0], kind or ""


def replaced(kind: Kind, *, is_mutable: bool) -> Patterns:
    """Return the fields for which the provider replaces an object of the kind, its identity aside.

    Args:
        kind: group and kind.
        is_mutable: whether the provider may change a ConfigMap's or a Secret's content in place.

    """
    if is_mutable and kind in REPLACED_IF_MUTABLE:
        return REPLACED_IF_MUTABLE[kind]
    return REPLACED.get(kind, ())
