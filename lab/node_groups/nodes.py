"""Which nodes the account's node groups stand for. Pure: no API calls."""

from __future__ import annotations

import copy
import uuid
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from lab.node_groups.sizes import plain_node

if TYPE_CHECKING:
    from lab.controller.api import Manifest

PROVIDER_PREFIX = "aws:///"
"""How the provider id of a node begins that is an instance; the lab's own nodes have none."""

_FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
_TYPE = "node.kubernetes.io/instance-type"
_CLIQUE = "nvidia.com/gpu.clique"
_EFA = "vpc.amazonaws.com/efa"
_EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}
_EFA_INTERFACES = frozenset({"efa", "efa-only"})

Document = dict[str, Any]


def nodes_of(store: dict[str, dict[str, Document]]) -> list[Manifest]:
    """The nodes of all running instances in the account's store.

    Raises UnknownTypeError where nothing tells what a type's node looks like.
    """
    groups = {
        item["resources"]["autoScalingGroups"][0]["name"]: item
        for item in store.get("eks-node-groups", {}).values()
    }
    made: list[Manifest] = []
    for key, instance in store.get("ec2-instances", {}).items():
        region, scaling_group, _ = key.split("/")
        group = groups.get(scaling_group)
        if group is None or _is_terminated(instance):
            continue
        name = f"{group['nodegroupName']}-{instance['AmiLaunchIndex']}"
        made.append(node_for(name, instance, group, region))
    return made


def lost_machines(store: dict[str, dict[str, Document]]) -> set[str]:
    """The provider ids of instances that ended without their node being drained before."""
    return {_provider_id(item) for item in store.get("ec2-instances", {}).values() if _is_terminated(item)}


def node_for(name: str, instance: Document, group: Document, region: str) -> Manifest:
    """The node that an instance of a node group becomes."""
    described = _described(instance["InstanceType"])
    placement = instance["Placement"]
    labels = described["labels"] | {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/region": region,
        "topology.kubernetes.io/zone": placement["AvailabilityZone"],
        "topology.k8s.aws/zone-id": placement["AvailabilityZoneId"],
        "eks.amazonaws.com/nodegroup": group["nodegroupName"],
        "eks.amazonaws.com/capacityType": group["capacityType"],
        **group["labels"],
    }
    if _CLIQUE in labels:
        labels[_CLIQUE] = _clique(instance, group)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": labels},
        "spec": {
            "providerID": _provider_id(instance),
            "taints": [
                {"key": item["key"], "value": item.get("value", ""), "effect": _EFFECTS[item["effect"]]}
                for item in group["taints"]
            ],
        },
        "status": _with_efa(described["status"], instance),
    }


def _is_terminated(instance: Document) -> bool:
    return instance["State"]["Name"] == "terminated"


def _provider_id(instance: Document) -> str:
    return f"{PROVIDER_PREFIX}{instance['Placement']['AvailabilityZone']}/{instance['InstanceId']}"


def _described(instance_type: str) -> dict[str, Any]:
    found = _fixtures().get(instance_type)
    return copy.deepcopy(found) if found else plain_node(instance_type)


@cache
def _fixtures() -> dict[str, dict[str, Any]]:
    """Labels and status by instance type."""
    return {
        node["metadata"]["labels"][_TYPE]: {"labels": node["metadata"]["labels"], "status": node["status"]}
        for name in ("nodes.yaml", "other_nodes.yaml")
        for node in yaml.safe_load_all((_FIXTURES / name).read_text(encoding="utf-8"))
    }


def _clique(instance: Document, group: Document) -> str:
    """Instances of one capacity reservation are one NVLink domain; without one, those of the node group."""
    domain = instance.get("CapacityReservationId") or group["nodegroupArn"]
    return f"{uuid.uuid5(uuid.NAMESPACE_URL, domain)}.32766"


def _with_efa(status: dict[str, Any], instance: Document) -> dict[str, Any]:
    """As many EFA interfaces as the launch gave the instance, not as many as its type could have."""
    number = sum(item["InterfaceType"] in _EFA_INTERFACES for item in instance["NetworkInterfaces"])
    for room in (status["capacity"], status["allocatable"]):
        room.pop(_EFA, None)
        if number:
            room[_EFA] = str(number)
    return status
