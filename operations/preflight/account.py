"""What an account says of itself, in the terms of the questions."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from operations.preflight.answers import Reservation
from operations.preflight.asking import Asker, Unanswered

STACK_TAG = "dynamo-stack"
"""On everything that a stack makes; its value is the name of the cluster."""


class Account:
    """The account of the credentials that are in force, in one region.

    Each method raises what `Asker.ask` raises.
    """

    def __init__(self, region: str) -> None:
        self._asker = Asker(region)

    def id(self) -> str:
        """Twelve digits."""
        return str(self._asker.ask("sts", "get_caller_identity")["Account"])

    def now(self) -> dt.datetime:
        """The time by the clock that opens and closes windows, which this machine's may not agree with.

        Of the last answer; this machine's where nothing has been answered.
        """
        return self._asker.time or dt.datetime.now(dt.UTC)

    def reservation(self, reservation_id: str) -> Reservation | None:
        """A capacity reservation or Capacity Block; None if there is none of that id."""
        ids = [reservation_id]
        try:
            answer = self._asker.ask("ec2", "describe_capacity_reservations", CapacityReservationIds=ids)
        except Unanswered as error:
            if error.code.startswith("InvalidCapacityReservationId."):
                return None
            raise
        return next(map(_reservation, answer["CapacityReservations"]), None)

    def offered_in(self, instance_type: str) -> frozenset[str]:
        """Zones of the region, Local Zones included, in which the type can be launched."""
        answer = self._asker.ask(
            "ec2",
            "describe_instance_type_offerings",
            LocationType="availability-zone",
            Filters=[{"Name": "instance-type", "Values": [instance_type]}],
        )
        return frozenset(item["Location"] for item in answer["InstanceTypeOfferings"])

    def zone_opted_in(self, zone: str) -> str:
        """EC2's word: opt-in-not-required, opted-in or not-opted-in; empty for a zone that is unknown."""
        answer = self._asker.ask("ec2", "describe_availability_zones", AllAvailabilityZones=True)
        return next(
            (str(item["OptInStatus"]) for item in answer["AvailabilityZones"] if item["ZoneName"] == zone), ""
        )

    def zone_ids(self) -> dict[str, str]:
        """Zone -> its id, such as use1-az6, which is the same zone in every account."""
        answer = self._asker.ask("ec2", "describe_availability_zones")
        return {str(item["ZoneName"]): str(item["ZoneId"]) for item in answer["AvailabilityZones"]}

    def addon_builds(self, name: str, kubernetes: str) -> tuple[str, ...]:
        """Builds of an add-on for a Kubernetes version, newest first; none of an add-on that is unknown."""
        answer = self._asker.ask(
            "eks", "describe_addon_versions", addonName=name, kubernetesVersion=kubernetes
        )
        found = (each for addon in answer["addons"] for each in addon.get("addonVersions", []))
        return tuple(str(each["addonVersion"]) for each in found)

    def block_offerings(self, *, hours: int, **wanted: object) -> list[Mapping[str, Any]]:
        """Capacity Blocks of that length that are for sale; asking buys nothing."""
        answer = self._asker.ask(
            "ec2", "describe_capacity_block_offerings", CapacityDurationHours=hours, **wanted
        )
        return list(answer["CapacityBlockOfferings"])

    def quota(self, service: str, code: str) -> float:
        """The account's limit."""
        answer = self._asker.ask("service-quotas", "get_service_quota", ServiceCode=service, QuotaCode=code)
        return float(answer["Quota"]["Value"])

    def addresses_of_others(self, stack: str) -> int:
        """Elastic IPs that this stack has not made."""
        return _of_others(self._asker.ask("ec2", "describe_addresses")["Addresses"], stack)

    def networks_of_others(self, stack: str) -> int:
        """VPCs that this stack has not made."""
        return _of_others(self._asker.ask("ec2", "describe_vpcs")["Vpcs"], stack)


def _of_others(items: Iterable[Mapping[str, Any]], stack: str) -> int:
    mine = {"Key": STACK_TAG, "Value": stack}
    return sum(mine not in item.get("Tags", []) for item in items)


def _reservation(found: Mapping[str, Any]) -> Reservation:
    return Reservation(
        id=str(found["CapacityReservationId"]),
        is_block=found.get("ReservationType") == "capacity-block",
        state=str(found.get("State", "unknown")),
        instance_type=str(found.get("InstanceType", "")),
        zone=str(found.get("AvailabilityZone", "")),
        total=int(found.get("TotalInstanceCount", 0)),
        available=int(found.get("AvailableInstanceCount", 0)),
        starts=_time(found.get("StartDate")),
        ends=_time(found.get("EndDate")),
        # arn:aws:ec2:region:account:placement-group/name
        placement_group=str(found.get("PlacementGroupArn") or "").rpartition("/")[2] or None,
    )


def _time(value: object) -> dt.datetime | None:
    return value if isinstance(value, dt.datetime) else None
