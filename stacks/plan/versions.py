"""Every version that the product itself chooses: the Dynamo platform and what belongs to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

PROJECT_VERSION = "0.1.0"
"""Of this project, as pyproject.toml has it: the program runs where the package is not installed."""
OPERATOR_IMAGE = "nvcr.io/nvidia/ai-dynamo/kubernetes-operator"
"""Repository; the chart adds its own version as the tag."""

# The versions that Dynamo's own tests run against (ai-dynamo/dynamo, test compose files of the 1.2 line).
PAUSE_IMAGE = "registry.k8s.io/pause:3.10.1"
"""Runs on both architectures, and does nothing."""
ETCD_IMAGE = "quay.io/coreos/etcd:v3.5.21"
NATS_IMAGE = "docker.io/library/nats:2.11.4-alpine"


# ai-dynamo/dynamo deploy/helm/charts/platform/components/operator/crds at d50a02f (chart 1.2.0).
_GRAPH_DEFINITIONS = (
    "dynamocheckpoints.nvidia.com",
    "dynamocomponentdeployments.nvidia.com",
    "dynamographdeploymentrequests.nvidia.com",
    "dynamographdeployments.nvidia.com",
    "dynamographdeploymentscalingadapters.nvidia.com",
    "dynamomodels.nvidia.com",
    "dynamoworkermetadatas.nvidia.com",
)
# Seen with the operator of ai-dynamo/dynamo at d7bb84ef0 (2026-07-30): nine by crd-apply.
_SNAPSHOT_DEFINITIONS = ("podsnapshotcontents.nvidia.com", "podsnapshots.nvidia.com")

PLATFORM_RELEASES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "1.2.1": _GRAPH_DEFINITIONS,
        "1.4.2": (*_GRAPH_DEFINITIONS, *_SNAPSHOT_DEFINITIONS),
    }
)
"""Release of the chart, one of each line -> the definitions that an installation leaves for ever.

docs/versions.md says how they differ."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, its version and where it comes from."""

    name: str
    version: str
    repository: str | None
    """Address of the chart's repository; None for a chart whose name is an oci:// address."""


def platform_chart(version: str) -> Chart:
    """Return the chart of a release of the Dynamo platform."""
    return Chart("dynamo-platform", version, "https://helm.ngc.nvidia.com/nvidia/ai-dynamo")


# NVIDIA/gpu-operator v26.7.0, kubernetes-sigs/dra-driver-nvidia-gpu 0.4.1, aws/eks-charts (August 2026),
# prometheus-community/helm-charts (August 2026).
GPU_OPERATOR = Chart("gpu-operator", "v26.7.0", "https://helm.ngc.nvidia.com/nvidia")
DRA_DRIVER = Chart("oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu", "0.4.1", None)
EFA_DEVICE_PLUGIN = Chart("aws-efa-k8s-device-plugin", "0.5.30", "https://aws.github.io/eks-charts")
PROMETHEUS_STACK = Chart(
    "kube-prometheus-stack", "88.5.3", "https://prometheus-community.github.io/helm-charts"
)

# The program reads no clock, so a version stands here from the year of its end on
# (https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html).
SUPPORT_ENDS_SOON: Mapping[str, str] = MappingProxyType({"1.34": "2026-12-02"})
"""Kubernetes version -> last day of EKS' standard support; then AWS upgrades the control plane by itself."""

# What `aws eks describe-addon-versions` listed per Kubernetes version in September 2026, as public stacks of
# aws-samples and others pinned it. CNI, agents and drivers are the same for all of them;
# `dynamo-stack preflight` asks whether a region still has them.
_EVERY_VERSION: Mapping[str, str] = MappingProxyType(
    {
        "vpc-cni": "v1.22.4-eksbuild.3",
        "eks-pod-identity-agent": "v1.4.0-eksbuild.1",
        "aws-ebs-csi-driver": "v1.66.0-eksbuild.1",
        "aws-efs-csi-driver": "v3.4.2-eksbuild.1",
        "aws-fsx-csi-driver": "v1.10.0-eksbuild.1",
        "eks-node-monitoring-agent": "v1.7.0-eksbuild.1",
    }
)
EKS_ADDONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "1.34": MappingProxyType(
            {"coredns": "v1.12.4-eksbuild.29", "kube-proxy": "v1.34.6-eksbuild.21", **_EVERY_VERSION}
        ),
        "1.35": MappingProxyType(
            {"coredns": "v1.13.2-eksbuild.21", "kube-proxy": "v1.35.3-eksbuild.21", **_EVERY_VERSION}
        ),
        "1.36": MappingProxyType(
            {"coredns": "v1.14.3-eksbuild.14", "kube-proxy": "v1.36.0-eksbuild.17", **_EVERY_VERSION}
        ),
    }
)
"""Kubernetes version -> add-on -> version."""
