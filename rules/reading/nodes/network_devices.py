"""Network devices that a worker's pods ask for."""

import re
from collections.abc import Iterator, Mapping

from resource_graph import Value
from rules.reading.pods.workers import Worker
from rules.reading.shapes import mapping_at, whole_number

EFA_RESOURCE = "vpc.amazonaws.com/efa"
EFA_DEVICE_CLASS = "efa.networking.k8s.aws"
"""Of DRANET on EKS (https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html)."""
_RDMA = re.compile(r"rdma|roce|infiniband|mlnx|hostdev|(?<![a-z])(?:ib|hca)(?![a-z])", re.IGNORECASE)
"""What names of InfiniBand and RoCE devices have in common.

rdma/ib and rdma/shared_ib (InfiniBand, AKS, CoreWeave), networking.gke.io.networks/rdma-0 (GKE),
openshift.io/…rdma… and nvidia.com/hostdev (SR-IOV), vke.volcengine.com/rdma, aliyun/erdma; device classes
roce.networking.k8s.aws and mrdma.google.com.
"""
_ADDRESS_OF_GKE = ".IP"
"""Beside each of its networks GKE has a resource for the address, which is no device."""


def is_rdma(resource: str) -> bool:
    """Whether an extended resource or a device class is one of InfiniBand or RoCE devices."""
    return _RDMA.search(resource) is not None and not resource.endswith(_ADDRESS_OF_GKE)


def is_network_device(resource: str) -> bool:
    """Whether a container's resource is a device that KV cache can travel by: EFA, InfiniBand or RoCE."""
    return resource == EFA_RESOURCE or ("/" in resource and is_rdma(resource))


def efa_interfaces(worker: Worker) -> int:
    """How many EFA interfaces one pod asks the device plugin for.

    Raises:
        Undecided: the amount is unknown or no number.
    """
    return dict(_amounts(worker)).get(EFA_RESOURCE, 0)


def rdma_devices(worker: Worker) -> Mapping[str, int]:
    """The InfiniBand and RoCE resources that one pod asks for, each with its amount.

    Raises:
        Undecided: an amount is unknown or no number.
    """
    return {name: amount for name, amount in _amounts(worker) if amount and name != EFA_RESOURCE}


def _amounts(worker: Worker) -> Iterator[tuple[str, int]]:
    # A device must be in the limits; in the requests alone the API server refuses it.
    for resources in _limits(worker):
        for name, amount in resources.items():
            if is_network_device(name):
                yield name, whole_number(amount, f"the amount of {name}")


def _limits(worker: Worker) -> Iterator[Mapping[str, Value]]:
    if worker.template.shape == "service":
        # The operator turns a v1alpha1 service's `custom` into resources of the container.
        yield mapping_at(worker.described_by, "resources", "requests", "custom")
        yield mapping_at(worker.described_by, "resources", "limits", "custom")
    yield mapping_at(worker.container, "resources", "limits")
