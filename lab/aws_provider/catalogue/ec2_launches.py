"""Launch templates and placement groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.catalogue.tagging import of_ec2
from lab.aws_provider.flatten import flatten
from lab.aws_provider.mapping import mapped
from lab.aws_provider.resource_type import (
    Description,
    Input,
    ResourceType,
    Subject,
    by_id,
    deleted_by,
    fixed,
    of_the_provider,
    output,
    upper,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.aws_provider.resource_type import Request

PLACEMENT_GROUP = ResourceType(
    pulumi_type="aws:ec2/placementGroup:PlacementGroup",
    service="ec2",
    inputs={**fixed("name", create="GroupName"), **fixed("strategy")},
    create="CreatePlacementGroup",
    identify=lambda subject, _: subject["name"],
    read="DescribePlacementGroups",
    ask=by_id("GroupNames"),
    found="PlacementGroups.0",
    delete=deleted_by("DeletePlacementGroup", "GroupName"),
    outputs={"arn": output("GroupArn"), "placementGroupId": output("GroupId")},
    name="name",
    identity=("name",),
    gone=frozenset({"InvalidPlacementGroup.Unknown"}),
    tagging=of_ec2("placement-group"),
)

_DATA = "LaunchTemplateData"
_IN_DATA = (
    *("blockDeviceMappings", "capacityReservationSpecification", "instanceMarketOptions", "instanceType"),
    *("metadataOptions", "networkInterfaces", "placement", "tagSpecifications", "userData"),
)
"""Inputs that stand in the template's data under EC2's own name."""
_NAMES = {"networkInterfaces": {"securityGroups": "Groups"}}


def _with_latest(subject: Subject, found: Description) -> Description:
    asked = {"LaunchTemplateId": subject.identifier, "Versions": ["$Latest"]}
    answer = subject.api.call("ec2", "DescribeLaunchTemplateVersions", asked)
    return {**found, _DATA: answer["LaunchTemplateVersions"][0][_DATA]}


def _new_version(subject: Subject, _: set[str]) -> Sequence[Request]:
    template = {"LaunchTemplateId": subject.identifier}
    data = {_DATA: mapped(LAUNCH_TEMPLATE, subject.inputs)[_DATA]}
    number = str(subject.state["latestVersion"] + 1)
    default = ("ModifyLaunchTemplate", {**template, "DefaultVersion": number})
    made = ("CreateLaunchTemplateVersion", {**template, **data})
    return [made, default] if subject.inputs.get("updateDefaultVersion") else [made]


def _without_own_tags(live: Any, given: Any) -> Any:
    # moto puts the template's own tags among those of what it launches.
    kept = [item for item in live or [] if item["ResourceType"] != "launch-template"]
    return flatten(kept, given, {}) if kept or given is not None else None


def _data_inputs() -> dict[str, Input]:
    return {
        name: Input(
            create=f"{_DATA}.{upper(name)}",
            update="version",
            names=_NAMES.get(name, {}),
            from_live=_without_own_tags if name == "tagSpecifications" else None,
        )
        for name in _IN_DATA
    }


LAUNCH_TEMPLATE = ResourceType(
    pulumi_type="aws:ec2/launchTemplate:LaunchTemplate",
    service="ec2",
    inputs={
        **fixed("name", create="LaunchTemplateName"),
        **_data_inputs(),
        **of_the_provider("updateDefaultVersion"),
    },
    create="CreateLaunchTemplate",
    identify=lambda _, answer: answer["LaunchTemplate"]["LaunchTemplateId"],
    read="DescribeLaunchTemplates",
    ask=by_id("LaunchTemplateIds"),
    found="LaunchTemplates.0",
    complete=_with_latest,
    delete=deleted_by("DeleteLaunchTemplate", "LaunchTemplateId"),
    # The parameter is required, also where the program says nothing.
    also=lambda _: {_DATA: {}},
    updates={"version": _new_version},
    outputs={
        "arn": lambda subject, _: subject.arn("ec2", f"launch-template/{subject.identifier}"),
        "latestVersion": output("LatestVersionNumber"),
        "defaultVersion": output("DefaultVersionNumber"),
    },
    volatile=frozenset({"latestVersion", "defaultVersion"}),
    name="name",
    identity=("name",),
    gone=frozenset({"InvalidLaunchTemplateId.NotFound"}),
    tagging=of_ec2("launch-template"),
)

TYPES = (PLACEMENT_GROUP, LAUNCH_TEMPLATE)
