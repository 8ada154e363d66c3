"""What nodes are made of: network cards, disk, metadata and where capacity is bought."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from hardware import NetworkInterface
from stacks.plan.infrastructure.eks_plan import PlannedNodes, tags_of
from stacks.settings.cluster import (
    CapacityBlock,
    EksClusterSettings,
    OnDemand,
    Purchase,
    reservation_id,
)

SYSTEM_PURCHASE = OnDemand(kind="onDemand")
ROOT_VOLUME_TYPE = "gp3"
"""Of every node but for those of a pool whose settings name another one."""
_SYSTEM_ROOT_GIB = 100
# Images of the runtime are some 20 GB each, and two are there during an update.
_GPU_ROOT_GIB = 200
_ROOT_DEVICE = "/dev/xvda"
"""As Amazon Linux 2023 names it (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/device_naming.html)."""

_BOUNDARY = "//"
_RAID0 = (
    "Content-Type: application/node.eks.aws",
    "",
    "apiVersion: node.eks.aws/v1alpha1",
    "kind: NodeConfig",
    "spec:",
    "  instance:",
    "    localStorage:",
    "      strategy: RAID0",
)
# The image starts an IMEX daemon of its own, and the GPU driver takes one alone: a compute domain's would end
# with NV_ERR_IN_USE (kubernetes-sigs/dra-driver-nvidia-gpu docs, prerequisites). Masked, nothing starts it.
_NO_HOST_IMEX = (
    'Content-Type: text/x-shellscript; charset="us-ascii"',
    "",
    "#!/bin/sh",
    "systemctl disable --now nvidia-imex.service",
    "systemctl mask nvidia-imex.service",
)


def system_group_name(cluster: EksClusterSettings) -> str:
    """Return the name of the node group for everything without GPUs."""
    return f"{cluster.name}-system"


def system_template(cluster: EksClusterSettings) -> dict[str, Any]:
    """Return the template of the nodes for everything without GPUs."""
    return _template(
        cluster,
        system_group_name(cluster),
        cluster.system_nodes.instance_type,
        (NetworkInterface(card=0, device=0, kind="interface"),),
        root_gib=_SYSTEM_ROOT_GIB,
        root_type=ROOT_VOLUME_TYPE,
        local_disks=False,
        own_imex=False,
        purchase=SYSTEM_PURCHASE,
    )


def gpu_template(cluster: EksClusterSettings, nodes: PlannedNodes) -> dict[str, Any]:
    """Return the template of a pool's nodes, with the network interfaces of their type."""
    kind = nodes.pool.instance_type
    return _template(
        cluster,
        nodes.name,
        kind.name,
        kind.network.interfaces,
        root_gib=_GPU_ROOT_GIB,
        root_type=nodes.root_volume_type,
        local_disks=True,
        own_imex=kind.nvlink_crosses_nodes,
        purchase=nodes.purchase,
    )


def capacity_type(purchase: Purchase) -> str:
    """What EKS calls it; EKS refuses a capacity block's template under any other."""
    return {"spot": "SPOT", "capacityBlock": "CAPACITY_BLOCK"}.get(purchase.kind, "ON_DEMAND")


def _template(
    cluster: EksClusterSettings,
    name: str,
    instance_type: str,
    interfaces: Sequence[NetworkInterface],
    *,
    root_gib: int,
    root_type: str,
    local_disks: bool,
    own_imex: bool,
    purchase: Purchase,
) -> dict[str, Any]:
    """Return what a node is made of: the template's arguments without ids that only the account gives.

    Known before anything is registered, so that a change can be judged by what it does to nodes that run.

    Args:
        cluster: of the nodes.
        name: of the node group.
        instance_type: of all nodes.
        interfaces: their network cards.
        root_gib: size of the root volume.
        root_type: its EBS volume type.
        local_disks: join the instance's own disks into one volume for containers (RAID0).
        own_imex: whether compute domains bring IMEX daemons of their own, and the host's must not run.
        purchase: how they are paid for.

    """
    reservation = reservation_id(purchase)
    # Of nodes, their disks and network interfaces; otherwise a name alone, on nodes and disks.
    tags: Mapping[str, str] = tags_of(cluster) if cluster.tag_nodes else {}
    return {
        "instance_type": instance_type,
        "network_interfaces": _interfaces(interfaces),
        "block_device_mappings": [
            {
                "device_name": _ROOT_DEVICE,
                "ebs": {
                    "volume_size": root_gib,
                    "volume_type": root_type,
                    "encrypted": "true",
                    "delete_on_termination": "true",
                },
            }
        ],
        "metadata_options": {
            "http_endpoint": "enabled",
            "http_tokens": "required",
            # Pods get their credentials by pod identity; one hop keeps the node's own from them.
            "http_put_response_hop_limit": 1,
        },
        # Spot is the node group's capacityType, which EKS refuses beside the template's own.
        "instance_market_options": (
            {"market_type": "capacity-block"} if isinstance(purchase, CapacityBlock) else None
        ),
        "capacity_reservation_specification": (
            {"capacity_reservation_target": {"capacity_reservation_id": reservation}} if reservation else None
        ),
        "user_data": _user_data(local_disks=local_disks, own_imex=own_imex),
        # The provider's default tags end at the template (terraform-aws-modules/terraform-aws-eks#3015).
        "tag_specifications": [
            {"resource_type": kind, "tags": {**tags, "Name": name}}
            for kind in ("instance", "volume", *(["network-interface"] if tags else []))
        ],
    }


def _interfaces(items: Sequence[NetworkInterface]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [
        {
            "network_card_index": item.card,
            "device_index": item.device,
            "interface_type": item.kind,
            "delete_on_termination": "true",
        }
        for item in items
    ]
    if len(made) == 1:
        # An adopted subnet may give a public address to each launch. EC2 gives none to a launch with several
        # interfaces, and refuses the parameter there
        # (https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html).
        made[0]["associate_public_ip_address"] = "false"
    return made


def _user_data(*, local_disks: bool, own_imex: bool) -> str | None:
    parts = [*([_RAID0] if local_disks else []), *([_NO_HOST_IMEX] if own_imex else [])]
    if not parts:
        return None
    # EKS merges its own part into a MIME document and leaves other kinds alone.
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"', ""]
    for part in parts:
        lines += [f"--{_BOUNDARY}", *part, ""]
    text = "\n".join([*lines, f"--{_BOUNDARY}--", ""])
    return base64.b64encode(text.encode()).decode()
