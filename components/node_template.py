"""What a node is made of, as plain data: network cards, disk, metadata and where capacity is bought."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from hardware import NetworkInterface
from stacks.settings.cluster import CapacityBlock, Purchase, reservation_id

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


def template_content(
    name: str,
    instance_type: str,
    interfaces: Sequence[NetworkInterface],
    *,
    root_gib: int,
    root_type: str,
    local_disks: bool,
    own_imex: bool,
    purchase: Purchase,
    tags: Mapping[str, str],
) -> dict[str, Any]:
    """Return what a node is made of: the template's arguments without ids that only the account gives.

    Known before anything is registered, so that a change can be judged by what it does to nodes that run.

    Args:
        name: of the node group.
        instance_type: of all nodes.
        interfaces: their network cards.
        root_gib: size of the root volume.
        root_type: its EBS volume type.
        local_disks: join the instance's own disks into one volume for containers (RAID0).
        own_imex: whether compute domains bring IMEX daemons of their own, and the host's must not run.
        purchase: how they are paid for.
        tags: of nodes, their disks and network interfaces; empty: a name alone, on nodes and disks.

    """
    reservation = reservation_id(purchase)
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


def capacity_type(purchase: Purchase) -> str:
    """What EKS calls it; EKS refuses a capacity block's template under any other."""
    return {"spot": "SPOT", "capacityBlock": "CAPACITY_BLOCK"}.get(purchase.kind, "ON_DEMAND")


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
