"""Whether NVLink leads from a worker's nodes to others."""

from collections.abc import Sequence

from hardware import INSTANCE_TYPES
from resource_graph import ResourceGraph
from rules.reading.nodes.placements import read_landing
from rules.reading.pods.workers import Worker


def nodes_without_fabric(graph: ResourceGraph, worker: Worker) -> Sequence[str]:
    """Accelerators that the worker can land on whose NVLink ends at the node.

    Raises:
        Undecided: nothing says on which GPUs it lands.
    """
    crossing = {item.accelerator.name for item in INSTANCE_TYPES.values() if item.nvlink_crosses_nodes}
    landing = read_landing(graph, worker)
    return [item.name for item in landing.accelerators if item.name not in crossing]
