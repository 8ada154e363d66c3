"""NVIDIA's driver for dynamic resource allocation, for compute domains alone."""

from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.helm.v3 import Release

from components.chart import Chart, install

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


@dataclass(frozen=True, slots=True)
class DraDriverArgs:
    """Inputs of `DraDriver`."""

    namespace: str
    chart: Chart
    timeout_seconds: int


class DraDriver(pulumi.ComponentResource):
    """What gives a pod on an NVLink fabric its IMEX channel."""

    release: Release
    """A ComputeDomain depends on it: without the driver its claim template never appears."""

    def __init__(
        self,
        name: str,
        args: DraDriverArgs,
        *,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {"chart": args.chart.name, "version": args.chart.version, "namespace": args.namespace}
        super().__init__("dynamo-stack:components:DraDriver", name, inputs, opts)
        self.release = install(
            name,
            args.chart,
            release_name="dra-driver-nvidia-gpu",
            namespace=args.namespace,
            values=driver_values(),
            timeout_seconds=args.timeout_seconds,
            parent=self,
            depends_on=depends_on,
            # From 26.7 on the GPU operator brings ComputeDomain's definition too, and writes its own again at
            # each upgrade (operator.upgradeCRD): with two owners it would go back and forth between versions.
            skip_crds=True,
        )
        self.register_outputs({})


def driver_values() -> dict[str, Any]:
    """Return the chart's values (kubernetes-sigs/dra-driver-nvidia-gpu 0.4 deployments/helm)."""
    return {
        # The AMI's driver lies at the root of the node, not in the GPU operator's container.
        "nvidiaDriverRoot": "/",
        # The device plugin gives out the GPUs: two givers would hand out one GPU twice.
        "resources": {"gpus": {"enabled": False}, "computeDomains": {"enabled": True}},
        # Older charts ask for a control-plane node, which EKS does not show.
        "controller": {"affinity": None},
        "kubeletPlugin": {"affinity": _GPU_NODES, "tolerations": [_GPU_TAINT]},
    }
