"""What a node of an instance type has room for, by the formulas of EKS's own image.

Source: awslabs/amazon-eks-ami@81fec2e nodeadm/internal/kubelet/{config,eni_max_pods}.go.
"""

from __future__ import annotations

from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPES

_ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
_EVICTION_MIB = 100
# A kernel keeps some memory for itself: a kubelet sees less than EC2 sells (m7i.4xlarge: 64760000Ki).
_SEEN_OF_MEMORY = 0.965
# Of the root volume, in the fixture's figures for 80 GiB.
_DISK = {"capacity": "83873772Ki", "allocatable": "76224326324"}


class UnknownTypeError(Exception):
    """Nothing tells what a node of that type looks like."""


def plain_node(instance_type: str) -> dict[str, Any]:
    """Labels and status of a node without GPUs.

    Raises UnknownTypeError for a type that is unknown, or whose GPUs only a fixture can describe.
    """
    described = INSTANCE_TYPES.get(instance_type)
    if described is None:
        raise UnknownTypeError(f"EC2 has no instance type {instance_type}")
    if "GpuInfo" in described:
        raise UnknownTypeError(f"lab/fixtures/nodes.yaml has no node of type {instance_type}, which has GPUs")
    architecture = _ARCHITECTURES[described["ProcessorInfo"]["SupportedArchitectures"][0]]
    cores = described["VCpuInfo"]["DefaultVCpus"]
    pods = _most_pods(described["NetworkInfo"])
    mebibytes = int(described["MemoryInfo"]["SizeInMiB"] * _SEEN_OF_MEMORY)
    reserved = 11 * pods + 255 + _EVICTION_MIB
    labels = {
        "kubernetes.io/arch": architecture,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": instance_type,
    }
    capacity = {"cpu": str(cores), "memory": f"{mebibytes}Mi", "ephemeral-storage": _DISK["capacity"]}
    allocatable = {
        "cpu": f"{cores * 1000 - _reserved_millicores(cores)}m",
        "memory": f"{mebibytes - reserved}Mi",
        "ephemeral-storage": _DISK["allocatable"],
    }
    return {
        "labels": labels,
        "status": {
            "nodeInfo": {"architecture": architecture, "operatingSystem": "linux"},
            "capacity": capacity | {"pods": str(pods)},
            "allocatable": allocatable | {"pods": str(pods)},
        },
    }


def _reserved_millicores(cores: int) -> int:
    """6% of the first core, 1% of the second, 0.5% of the third and fourth, 0.25% of every other."""
    shares = [60.0, 10.0, 5.0, 5.0]
    return int(sum(shares[:cores]) + 2.5 * max(0, cores - len(shares)))


def _most_pods(network: dict[str, Any]) -> int:
    """The addresses that the CNI can give to pods of the default network card, and two host pods."""
    cards = {card["NetworkCardIndex"]: card for card in network.get("NetworkCards", [])}
    default = cards.get(network.get("DefaultNetworkCardIndex", 0), network)
    return default["MaximumNetworkInterfaces"] * (network["Ipv4AddressesPerInterface"] - 1) + 2
