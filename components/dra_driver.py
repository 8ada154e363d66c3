"""NVIDIA's driver for dynamic resource allocation, for compute domains alone."""

from components.chart import Chart
from components.helm_chart import HelmChartArgs

_GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
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


def dra_driver(namespace: str, chart: Chart, timeout_seconds: int) -> HelmChartArgs:
    """Return what gives a pod on an NVLink fabric its IMEX channel.

    A ComputeDomain depends on it: without the driver its claim template never appears.

    Args:
        namespace: exists already.
        chart: its version and where it comes from.
        timeout_seconds: how long an installation may take.

    """
    # kubernetes-sigs/dra-driver-nvidia-gpu 0.4 deployments/helm.
    values = {
        # The AMI's driver lies at the root of the node, not in the GPU operator's container.
        "nvidiaDriverRoot": "/",
        # The device plugin gives out the GPUs: two givers would hand out one GPU twice.
        "resources": {"gpus": {"enabled": False}, "computeDomains": {"enabled": True}},
        # Older charts ask for a control-plane node, which EKS does not show.
        "controller": {"affinity": None},
        "kubeletPlugin": {"affinity": _GPU_NODES, "tolerations": [_GPU_TAINT]},
    }
    return HelmChartArgs(
        component="DraDriver",
        chart=chart,
        release_name="dra-driver-nvidia-gpu",
        namespace=namespace,
        values=values,
        timeout_seconds=timeout_seconds,
        # From 26.7 on the GPU operator brings ComputeDomain's definition too, and writes its own again at
        # each upgrade (operator.upgradeCRD): with two owners it would go back and forth between versions.
        skip_crds=True,
    )
