"""FSx for Lustre: https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.fsx import FILE_SYSTEM
from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_TIERS = {
    ("PERSISTENT_1", "SSD"): (50, 100, 200),
    ("PERSISTENT_1", "HDD"): (12, 40),
    ("PERSISTENT_2", "SSD"): (125, 250, 500, 1000),
}
_STEP = {"SCRATCH_1": 3600, "SCRATCH_2": 2400, "PERSISTENT_1": 2400, "PERSISTENT_2": 2400}
_SMALLEST = 1200
_LNET = 988
_MISSING_ZONE_IDS = frozenset({"use1-az3"})
"""FSx for Lustre is not in every zone (https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi-create.html),
and AWS publishes no list: this one stands for them."""
_HDD_STEP = {12: 6000, 40: 1800}


@refuses("fsx", "CreateFileSystem")
def file_system(place: Place, given: dict[str, Any]) -> None:
    """Deployment type, storage type, throughput, size, EFA and subnet, one after the other."""
    if given["FileSystemType"] != "LUSTRE":
        raise _bad(f"The simulated cloud has no file systems of type {given['FileSystemType']}")
    lustre = given.get("LustreConfiguration", {})
    kind, storage = lustre.get("DeploymentType", "SCRATCH_1"), given.get("StorageType", "SSD")
    if storage == "HDD" and kind != "PERSISTENT_1":
        raise _bad(f"StorageType HDD is not supported for deployment type {kind}")
    if storage != "INTELLIGENT_TIERING":
        _check_throughput(kind, storage, lustre.get("PerUnitStorageThroughput"))
        _check_size(kind, storage, lustre.get("PerUnitStorageThroughput"), given.get("StorageCapacity"))
    if kind.startswith("SCRATCH") and "AutomaticBackupRetentionDays" in lustre:
        raise _bad(f"AutomaticBackupRetentionDays is not supported for deployment type {kind}")
    if lustre.get("EfaEnabled") and (kind != "PERSISTENT_2" or "MetadataConfiguration" not in lustre):
        raise _bad("EfaEnabled needs deployment type PERSISTENT_2 and a MetadataConfiguration")
    _check_network(place, given)


@refuses("fsx", "UpdateFileSystem")
def growth(place: Place, given: dict[str, Any]) -> None:
    """A file system grows and never shrinks."""
    known = place.store.get(FILE_SYSTEM, place.key(given["FileSystemId"]))
    wanted = given.get("StorageCapacity")
    if known is None or wanted is None:
        return
    if wanted < known["StorageCapacity"]:
        raise _bad(f"StorageCapacity can only be increased; it is {known['StorageCapacity']} GiB")
    lustre = known["LustreConfiguration"]
    kind, tier = lustre["DeploymentType"], lustre.get("PerUnitStorageThroughput")
    _check_size(kind, known["StorageType"], tier, wanted)


def _check_throughput(kind: str, storage: str, tier: int | None) -> None:
    tiers = _TIERS.get((kind, storage))
    if tiers is None:
        if tier is not None:
            raise _bad(f"PerUnitStorageThroughput is not supported for deployment type {kind}")
        return
    if tier not in tiers:
        raise _bad(
            f"PerUnitStorageThroughput of {tier} is not valid for {kind} with {storage} storage; valid "
            f"values are {', '.join(map(str, tiers))}"
        )


def _check_size(kind: str, storage: str, tier: int | None, size: int | None) -> None:
    if size is None:
        raise _bad("StorageCapacity is required")
    if storage == "HDD":
        step = _HDD_STEP[tier or 0]
        if size % step:
            raise _bad(f"StorageCapacity must be a multiple of {step} GiB for this throughput; got {size}")
        return
    step = _STEP[kind]
    if size not in {_SMALLEST, step} and (size < step or size % step):
        raise _bad(
            f"StorageCapacity of {size} GiB is not valid: it must be {_SMALLEST}, or a multiple of {step} GiB"
        )


def _check_network(place: Place, given: dict[str, Any]) -> None:
    subnets = given["SubnetIds"]
    if len(subnets) != 1:
        raise Refused("InvalidNetworkSettings", "A Lustre file system has exactly one subnet.")
    subnet = place.subnet(subnets[0])
    if subnet is None:
        raise Refused("InvalidNetworkSettings", f"The subnet ID '{subnets[0]}' does not exist.")
    zone = place.zone(subnet.availability_zone)
    if place.is_local_zone(subnet.availability_zone) or (zone and zone.zone_id in _MISSING_ZONE_IDS):
        raise Refused(
            "InvalidNetworkSettings",
            f"Amazon FSx is not available in the zone {subnet.availability_zone} of subnet {subnets[0]}.",
        )
    for identifier in given.get("SecurityGroupIds", []):
        group = place.security_group(identifier)
        if group is None or group.vpc_id != subnet.vpc_id:
            raise Refused(
                "InvalidNetworkSettings",
                f"The security group '{identifier}' does not exist in the VPC {subnet.vpc_id}.",
            )
    _check_ports(place, given.get("SecurityGroupIds", []))


def _check_ports(place: Place, groups: list[str]) -> None:
    """Its servers reach each other (https://docs.aws.amazon.com/fsx/latest/LustreGuide/cannot-create-fs.html)."""
    found = [group for identifier in groups if (group := place.security_group(identifier)) is not None]
    rules = [rule for group in found for rule in group.ingress_rules]
    opened = (
        rule.source_group.get("GroupId") in groups
        and (rule.from_port is None or rule.from_port <= _LNET <= rule.to_port)
        for rule in rules
    )
    if groups and not any(opened):
        raise Refused(
            "InvalidNetworkSettings",
            "The file system cannot be created because the default security group in the subnet provided or "
            f"the provided security groups do not permit Lustre LNET network traffic on port {_LNET}",
        )


def _bad(message: str) -> Refused:
    return Refused("BadRequest", message)
