"""The values with which the operators of a cluster and its Prometheus are installed."""

from collections.abc import Mapping
from typing import Any

from hardware import GPU_RESOURCE

_RETENTION_DAYS = 15
_METRICS_GIB = 50
_GPU_TAINT = {"key": GPU_RESOURCE, "operator": "Exists", "effect": "NoSchedule"}
_GPU_NODES = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [
                        {"key": "nvidia.com/gpu.present", "operator": "In", "values": ["true"]}
                    ]
                }
            ]
        }
    }
}


def gpu_operator_values(*, monitored: bool) -> dict[str, Any]:
    """Return what makes nvidia.com/gpu and the labels of GPU nodes appear."""
    # NVIDIA/gpu-operator v26.7.0 deployments/gpu-operator/values.yaml.
    return {
        # AWS's AL2023 NVIDIA images bring both; a second driver would not load, and a second toolkit would
        # write the same containerd configuration.
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        # Memory that is coherent with the Grace CPU excludes MIG on GB200.
        "migManager": {"enabled": False},
        "devicePlugin": {"enabled": True},
        "nfd": {"enabled": True},
        "gfd": {"enabled": True},
        # The chart turned this from off to on between 25.10 and 26.7.
        # Where Prometheus's definitions are not there, a ServiceMonitor would fail.
        "dcgmExporter": {"enabled": True, "serviceMonitor": {"enabled": monitored}},
        # The DRA driver is a release of its own: two of them would claim the same nodes.
        "draDriver": {"gpus": {"enabled": False}, "computeDomains": {"enabled": False}},
    }


# kubernetes-sigs/dra-driver-nvidia-gpu 0.4 deployments/helm.
DRA_DRIVER_VALUES: Mapping[str, Any] = {
    # The AMI's driver lies at the root of the node, not in the GPU operator's container.
    "nvidiaDriverRoot": "/",
    # The device plugin gives out the GPUs: two givers would hand out one GPU twice.
    "resources": {"gpus": {"enabled": False}, "computeDomains": {"enabled": True}},
    # Older charts ask for a control-plane node, which EKS does not show.
    "controller": {"affinity": None},
    "kubeletPlugin": {"affinity": _GPU_NODES, "tolerations": [_GPU_TAINT]},
}
"""Of what gives a pod on an NVLink fabric its IMEX channel.

A ComputeDomain depends on it: without the driver its claim template never appears.
"""


def efa_device_plugin_values(*, instance_types: tuple[str, ...]) -> dict[str, Any]:
    """Return one DaemonSet on the nodes that have EFA."""
    # aws/eks-charts stable/aws-efa-k8s-device-plugin 0.5.30.
    return {
        "supportedInstanceLabels": {
            "keys": ["node.kubernetes.io/instance-type"],
            # The chart's own list lags behind new types.
            "values": list(instance_types),
        },
        # The chart tolerates nothing, and GPU nodes are tainted.
        "tolerations": [_GPU_TAINT],
    }


def monitoring_values(*, storage_class_name: str) -> dict[str, Any]:
    """Return the kube-prometheus-stack: whatever makes a PodMonitor or ServiceMonitor depends on it."""
    claim = {
        "storageClassName": storage_class_name,
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{_METRICS_GIB}Gi"}},
    }
    # prometheus-community/helm-charts kube-prometheus-stack 88.5.3.
    return {
        "prometheus": {
            "prometheusSpec": {
                # Dynamo's monitors carry no `release` label; without this none of them is read.
                "podMonitorSelectorNilUsesHelmValues": False,
                "serviceMonitorSelectorNilUsesHelmValues": False,
                "ruleSelectorNilUsesHelmValues": False,
                "retention": f"{_RETENTION_DAYS}d",
                # Enough for one graph; a limit would end it in the middle of an incident.
                "resources": {"requests": {"cpu": "250m", "memory": "1Gi"}},
                "storageSpec": {"volumeClaimTemplate": {"spec": claim}},
            }
        },
        # Empty, the chart generates one and keeps it at every upgrade: it stands in a Secret of the cluster
        # alone, never in a stack's state. Services are of type ClusterIP by default.
        "grafana": {"adminPassword": "", "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}}},
        # It has nobody to tell until somebody names a receiver.
        "alertmanager": {"enabled": False},
        # EKS runs these where no scrape reaches them: their alerts would fire for ever.
        "kubeEtcd": {"enabled": False},
        "kubeControllerManager": {"enabled": False},
        "kubeScheduler": {"enabled": False},
        "kubeProxy": {"enabled": False},
    }
