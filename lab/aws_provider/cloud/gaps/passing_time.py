"""What happens by itself when its time has come: scheduled actions, and Capacity Blocks that open and end.

https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-scheduled-scaling.html,
https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html,
https://docs.aws.amazon.com/eks/latest/userguide/ml-node-groups.html
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from moto.backends import get_backend

from lab.aws_provider.cloud.gaps.autoscaling import GROUP
from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP
from lab.aws_provider.cloud.gaps.eks_node_groups import write_scaling_group
from lab.aws_provider.cloud.place import Place

if TYPE_CHECKING:
    from lab.aws_provider.cloud.settings import Settings
    from lab.aws_provider.cloud.store import Document, Store

_DRAINED_BEFORE = dt.timedelta(minutes=40)


def catch_up(store: Store, settings: Settings) -> None:
    """Does everything whose time has come, in all regions."""
    for key, group in store.items(GROUP):
        place = Place(key.split("/")[0], store, settings)
        node_group = _node_group(place, group["AutoScalingGroupName"])
        if node_group is not None:
            _launch_what_waited(place, node_group)
            _take_actions(place, group, node_group)
            _drain(place, node_group)


def _launch_what_waited(place: Place, node_group: Document) -> None:
    """Auto Scaling goes on trying; EKS leaves a group that failed when it was made as it is."""
    block = _block(place, node_group)
    if node_group["status"] != "ACTIVE" or not node_group["health"]["issues"]:
        return
    if block is not None and block["State"] == "active":
        write_scaling_group(place, node_group)


def _take_actions(place: Place, group: Document, node_group: Document) -> None:
    """One-time actions, which are gone when they are done; EC2 goes on trying where nothing can start yet."""
    block = _block(place, node_group)
    if block is not None and block["State"] != "active":
        return
    actions: Any = get_backend("autoscaling")[place.account][place.region]
    name = group["AutoScalingGroupName"]
    for action in actions.describe_scheduled_actions(name):
        if action.recurrence or _time(action.start_time) > place.now():
            continue
        sizes = {"minSize": action.min_size, "maxSize": action.max_size}
        sizes["desiredSize"] = action.desired_capacity
        _resize(place, node_group, {key: int(size) for key, size in sizes.items() if size is not None})
        actions.delete_scheduled_action(name, action.scheduled_action_name)


def _drain(place: Place, node_group: Document) -> None:
    block = _block(place, node_group)
    if block is None or block.get("ReservationType") != "capacity-block" or not block.get("EndDate"):
        return
    if place.now() >= _time(block["EndDate"]) - _DRAINED_BEFORE:
        _resize(place, node_group, {"minSize": 0, "desiredSize": 0})


def _resize(place: Place, node_group: Document, sizes: dict[str, int]) -> None:
    if node_group["scalingConfig"] | sizes == node_group["scalingConfig"]:
        return
    node_group["scalingConfig"] |= sizes
    write_scaling_group(place, node_group)


def _node_group(place: Place, scaling_group: str) -> Document | None:
    found = place.store.all(NODE_GROUP, place.key(""))
    return next(
        (item for item in found if item["resources"]["autoScalingGroups"][0]["name"] == scaling_group), None
    )


def _block(place: Place, node_group: Document) -> Document | None:
    data = place.launch_template_data(node_group.get("launchTemplate") or {}) or {}
    specification = data.get("CapacityReservationSpecification") or {}
    target = specification.get("CapacityReservationTarget") or {}
    return place.reservation(target.get("CapacityReservationId") or "")


def _time(value: Any) -> dt.datetime:
    moment = value if isinstance(value, dt.datetime) else dt.datetime.fromisoformat(value)
    return moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment
