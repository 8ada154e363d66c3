"""Network devices that a worker's pods ask for."""

from collections.abc import Iterator, Mapping

from resource_graph import Value
from rules.reading.pods.workers import Worker
from rules.reading.shapes import mapping_at, whole_number

EFA_RESOURCE = "vpc.amazonaws.com/efa"
RDMA_PREFIX = "rdma/"
"""What the device plugins for InfiniBand and RoCE put before a resource's name."""
EFA_DEVICE_CLASS = "efa.networking.k8s.aws"
"""Of DRANET on EKS (https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html)."""
ROCE_DEVICE_CLASS = "roce.networking.k8s.aws"


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
    return {name: amount for name, amount in _amounts(worker) if amount and name.startswith(RDMA_PREFIX)}


def _amounts(worker: Worker) -> Iterator[tuple[str, int]]:
    # A device must be in the limits; in the requests alone the API server refuses it.
    for resources in _limits(worker):
        for name, amount in resources.items():
            if name == EFA_RESOURCE or name.startswith(RDMA_PREFIX):
                yield name, whole_number(amount, f"the amount of {name}")


def _limits(worker: Worker) -> Iterator[Mapping[str, Value]]:
    if worker.template.shape == "service":
        # The operator turns a v1alpha1 service's `custom` into resources of the container.
        yield mapping_at(worker.described_by, "resources", "requests", "custom")
        yield mapping_at(worker.described_by, "resources", "limits", "custom")
    yield mapping_at(worker.container, "resources", "limits")
