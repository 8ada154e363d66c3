"""What the nodes of a planned cluster are made of, before anything is registered."""

from components.node_template import NodeTemplate
from components.purchase import OnDemand
from hardware import NetworkInterface
from stacks.plan.infrastructure.plan import PlannedNodes, PlannedSystemNodes

_SYSTEM_ROOT_GIB = 100
# Images of the runtime are some 20 GB each, and two are there during an update.
_GPU_ROOT_GIB = 200


def system_template(nodes: PlannedSystemNodes) -> NodeTemplate:
    """Return that of the nodes for everything without GPUs."""
    return NodeTemplate(
        name=nodes.name,
        instance_type=nodes.instance_type,
        interfaces=(NetworkInterface(card=0, device=0, kind="interface"),),
        root_gib=_SYSTEM_ROOT_GIB,
        local_disks=False,
        own_imex=False,
        purchase=OnDemand(),
    )


def gpu_template(nodes: PlannedNodes) -> NodeTemplate:
    """Return that of a pool's nodes, with the network interfaces of their type."""
    return NodeTemplate(
        name=nodes.name,
        instance_type=nodes.instance_type.name,
        interfaces=nodes.instance_type.network.interfaces,
        root_gib=_GPU_ROOT_GIB,
        local_disks=True,
        own_imex=nodes.instance_type.nvlink_crosses_nodes,
        purchase=nodes.purchase,
    )
