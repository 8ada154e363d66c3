"""Launch templates and placement groups."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue.tagging import of_ec2
from lab.aws_provider.flatten import flatten
from lab.aws_provider.mapping import mapped
from lab.aws_provider.resource_type import (
    BUILT,
    Description,
    Input,
    ResourceType,
    Subject,
    Update,
    changed_by,
    first,
    fixed,
    output,
)

PLACEMENT_GROUP = ResourceType(
    pulumi_type="aws:ec2/placementGroup:PlacementGroup",
    service="ec2",
    inputs={**fixed("name", create="GroupName"), **fixed("strategy", "partitionCount", "spreadLevel")},
    create="CreatePlacementGroup",
    identify=lambda subject, _: subject["name"],
    describe=lambda subject: first(
        subject, "ec2", "DescribePlacementGroups", {"GroupNames": [subject.identifier]}, "PlacementGroups"
    ),
    delete=lambda subject: subject.api.call("ec2", "DeletePlacementGroup", {"GroupName": subject.identifier}),
    outputs={"arn": output("GroupArn"), "placementGroupId": output("GroupId")},
    name="name",
    identity=("name",),
    gone=frozenset({"InvalidPlacementGroup.Unknown"}),
    tagging=of_ec2("placement-group"),
)

_DATA = "LaunchTemplateData"
_BY_NAME = {
    "blockDeviceMappings": "BlockDeviceMappings",
    "capacityReservationSpecification": "CapacityReservationSpecification",
    "cpuOptions": "CpuOptions",
    "creditSpecification": "CreditSpecification",
    "disableApiStop": "DisableApiStop",
    "disableApiTermination": "DisableApiTermination",
    "ebsOptimized": "EbsOptimized",
    "enclaveOptions": "EnclaveOptions",
    "hibernationOptions": "HibernationOptions",
    "iamInstanceProfile": "IamInstanceProfile",
    "imageId": "ImageId",
    "instanceInitiatedShutdownBehavior": "InstanceInitiatedShutdownBehavior",
    "instanceMarketOptions": "InstanceMarketOptions",
    "instanceRequirements": "InstanceRequirements",
    "instanceType": "InstanceType",
    "kernelId": "KernelId",
    "keyName": "KeyName",
    "licenseSpecifications": "LicenseSpecifications",
    "maintenanceOptions": "MaintenanceOptions",
    "metadataOptions": "MetadataOptions",
    "monitoring": "Monitoring",
    "networkInterfaces": "NetworkInterfaces",
    "networkPerformanceOptions": "NetworkPerformanceOptions",
    "placement": "Placement",
    "privateDnsNameOptions": "PrivateDnsNameOptions",
    "ramDiskId": "RamDiskId",
    "securityGroupNames": "SecurityGroups",
    "tagSpecifications": "TagSpecifications",
    "userData": "UserData",
    "vpcSecurityGroupIds": "SecurityGroupIds",
}
_NESTED = {
    "networkInterfaces": {
        "securityGroups": "Groups",
        "ipv4AddressCount": "SecondaryPrivateIpAddressCount",
        "ipv4Addresses": "PrivateIpAddresses",
    },
}


def _describe(subject: Subject) -> Description | None:
    asked = {"LaunchTemplateIds": [subject.identifier]}
    template = first(subject, "ec2", "DescribeLaunchTemplates", asked, "LaunchTemplates")
    if template is None:
        return None
    latest = {"LaunchTemplateId": subject.identifier, "Versions": ["$Latest"]}
    version = first(subject, "ec2", "DescribeLaunchTemplateVersions", latest, "LaunchTemplateVersions")
    return {**template, _DATA: version[_DATA], "VersionDescription": version.get("VersionDescription")}


def _new_version(subject: Subject, _: set[str]) -> None:
    request = mapped(LAUNCH_TEMPLATE, subject.inputs)
    request.pop("LaunchTemplateName", None)
    answer = subject.api.call(
        "ec2", "CreateLaunchTemplateVersion", {"LaunchTemplateId": subject.identifier, **request}
    )
    if subject.inputs.get("updateDefaultVersion"):
        _set_default(subject, answer["LaunchTemplateVersion"]["VersionNumber"])


def _default_version(subject: Subject, _: set[str]) -> None:
    if subject.inputs.get("updateDefaultVersion"):
        _set_default(subject, subject.state["latestVersion"])
    elif subject.inputs.get("defaultVersion"):
        _set_default(subject, subject["defaultVersion"])


def _set_default(subject: Subject, version: int) -> None:
    request = {"LaunchTemplateId": subject.identifier, "DefaultVersion": str(version)}
    subject.api.call("ec2", "ModifyLaunchTemplate", request)


def _without_own_tags(live: Any, given: Any) -> Any:
    # moto puts the template's own tags among those of what it launches.
    kept = [item for item in live or [] if item["ResourceType"] != "launch-template"]
    return flatten(kept, given, {}) if kept or given is not None else None


def _data_inputs() -> dict[str, Input]:
    return {
        name: Input(
            create=f"{_DATA}.{api}",
            update="version",
            names=_NESTED.get(name, {}),
            from_live=_without_own_tags if name == "tagSpecifications" else None,
        )
        for name, api in _BY_NAME.items()
    }


def _with_data(subject: Subject) -> dict[str, Any]:  # noqa: ARG001 - as all of its kind
    """The parameter is required, also where the program says nothing."""
    return {_DATA: {}}


LAUNCH_TEMPLATE = ResourceType(
    pulumi_type="aws:ec2/launchTemplate:LaunchTemplate",
    service="ec2",
    inputs={
        **fixed("name", create="LaunchTemplateName"),
        **changed_by("version", "description", create="VersionDescription"),
        **_data_inputs(),
        # A new template has one version, which is the default: nothing to send.
        **changed_by("default", "updateDefaultVersion", create=BUILT, read=None),
        **changed_by("default", "defaultVersion", create=BUILT, read="DefaultVersionNumber"),
    },
    create="CreateLaunchTemplate",
    identify=lambda _, answer: answer["LaunchTemplate"]["LaunchTemplateId"],
    describe=_describe,
    delete=lambda subject: subject.api.call(
        "ec2", "DeleteLaunchTemplate", {"LaunchTemplateId": subject.identifier}
    ),
    also=_with_data,
    updates={"version": Update(_new_version), "default": Update(_default_version)},
    outputs={
        "arn": lambda subject, _: subject.arn("ec2", f"launch-template/{subject.identifier}"),
        "latestVersion": output("LatestVersionNumber"),
        "defaultVersion": output("DefaultVersionNumber"),
    },
    volatile=frozenset({"latestVersion", "defaultVersion"}),
    name="name",
    identity=("name",),
    gone=frozenset({"InvalidLaunchTemplateId.NotFound", "InvalidLaunchTemplateName.NotFoundException"}),
    tagging=of_ec2("launch-template"),
)

TYPES = (PLACEMENT_GROUP, LAUNCH_TEMPLATE)
