"""What else a launch template's content may not say."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

_MOST_USER_DATA = 16384
_MOST_HOPS = 64
_GP3_GIB, _GP3_IOPS, _GP3_THROUGHPUT = (1, 65536), (3000, 80000), (125, 2000)
_WITH_IOPS = ("io1", "io2")


@refuses("ec2", "CreateLaunchTemplate")
def name_in_use(place: Place, given: dict[str, Any]) -> None:
    """Two templates of one name."""
    if place.launch_template({"name": given["LaunchTemplateName"]}) is not None:
        raise Refused(
            "InvalidLaunchTemplateName.AlreadyExistsException",
            f"Launch template name already in use: {given['LaunchTemplateName']}",
        )


@refuses("ec2", "CreateLaunchTemplate", "CreateLaunchTemplateVersion")
def content(place: Place, given: dict[str, Any]) -> None:
    """User data, metadata hops, volumes, and an instance type that exists."""
    data: Document = given["LaunchTemplateData"]
    _check_user_data(data.get("UserData"))
    hops = data.get("MetadataOptions", {}).get("HttpPutResponseHopLimit")
    if hops is not None and not 1 <= hops <= _MOST_HOPS:
        raise Refused(
            "InvalidParameterValue", f"HttpPutResponseHopLimit must be between 1 and {_MOST_HOPS}: {hops}"
        )
    for mapping in data.get("BlockDeviceMappings", []):
        _check_volume(mapping.get("Ebs") or {})
    if data.get("InstanceType") and data.get("InstanceRequirements"):
        raise Refused(
            "InvalidParameterCombination",
            "The parameters InstanceType and InstanceRequirements cannot be used together.",
        )
    if data.get("InstanceType") and place.instance_type(data["InstanceType"]) is None:
        raise Refused("InvalidParameterValue", f"Invalid value '{data['InstanceType']}' for InstanceType.")


def _check_user_data(text: object) -> None:
    if not text:
        return
    try:
        decoded = base64.b64decode(str(text), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.") from error
    if len(decoded) > _MOST_USER_DATA:
        raise Refused(
            "InvalidParameterValue", f"User data is limited to {_MOST_USER_DATA} bytes; got {len(decoded)}."
        )


def _check_volume(ebs: Document) -> None:
    kind = ebs.get("VolumeType", "gp2")
    if kind == "gp3":
        _within(ebs.get("VolumeSize"), _GP3_GIB, "VolumeSize", kind)
        _within(ebs.get("Iops"), _GP3_IOPS, "Iops", kind)
        _within(ebs.get("Throughput"), _GP3_THROUGHPUT, "Throughput", kind)
        return
    if "Throughput" in ebs:
        raise Refused(
            "InvalidParameterCombination", f"The parameter throughput is not supported for {kind} volumes."
        )
    if kind in _WITH_IOPS and "Iops" not in ebs:
        raise Refused("MissingParameter", f"The parameter iops must be specified for {kind} volumes.")


def _within(value: int | None, limits: tuple[int, int], what: str, kind: str) -> None:
    if value is not None and not limits[0] <= value <= limits[1]:
        raise Refused(
            "InvalidParameterValue",
            f"{what} of {value} is not valid for volume type {kind}: it must be {limits[0]} to {limits[1]}.",
        )
