"""Settings of model caches that only some nodes have."""

from typing import Literal

from recipes.strict_model import StrictModel


class EbsStorage(StrictModel):
    """A disk of EBS: one node mounts it, so all workers are in one pool of one node, with the frontends."""

    kind: Literal["ebs"]
    throughput: Literal[125, 250, 500, 1000] = 1000
    """MiB/s of the disk, a gp3."""


class InstanceStoreStorage(StrictModel):
    """The NVMe disks of the GPU nodes: the fastest, a copy on each node, and gone with it."""

    kind: Literal["instanceStore"]
