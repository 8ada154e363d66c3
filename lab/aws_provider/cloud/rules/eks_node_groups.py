"""Managed node groups: names, sizes, labels, taints, subnets, and what a launch template takes over.

https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html,
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP, cluster
from lab.aws_provider.cloud.refusal import Refused, refused_by_eks
from lab.aws_provider.cloud.rules import trusted_roles
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_NAME = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]{0,62}")
_MOST_LABEL = 63
_MOST_TAINTS = 50
_RESERVED_LABELS = ("kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")
_MOST_PERCENT = 100


@refuses("eks", "CreateNodegroup")
def name(place: Place, given: dict[str, Any]) -> None:
    """63 characters at most; a name in use."""
    cluster(place, given["clusterName"])
    if not _NAME.fullmatch(given["nodegroupName"]):
        raise refused_by_eks(
            f"The nodegroup name '{given['nodegroupName']}' is invalid: it must begin with a "
            "letter or digit, hold letters, digits, hyphens and underscores, and have 63 characters at most",
            nodegroupName=given["nodegroupName"],
        )
    if place.store.get(NODE_GROUP, place.key(given["clusterName"], given["nodegroupName"])) is not None:
        raise Refused(
            "ResourceInUseException",
            f"NodeGroup already exists with name {given['nodegroupName']} and cluster name "
            f"{given['clusterName']}",
        )


@refuses("eks", "CreateNodegroup")
def role(place: Place, given: dict[str, Any]) -> None:
    """A role that does not exist, or that EC2 may not take."""
    trusted_roles.require(place, given["nodeRole"], trusted_roles.NODE, "nodeRole")


@refuses("eks", "CreateNodegroup", "UpdateNodegroupConfig")
def sizes(place: Place, given: dict[str, Any]) -> None:
    """min <= desired <= max, and max at least 1."""
    known = place.store.get(NODE_GROUP, place.key(given["clusterName"], given["nodegroupName"]))
    sizes = {**(known or {}).get("scalingConfig", {}), **given.get("scalingConfig", {})}
    if not sizes:
        return
    least, most, desired = (sizes.get(key, 0) for key in ("minSize", "maxSize", "desiredSize"))
    if most < 1:
        raise refused_by_eks("maxSize must be at least 1")
    if least > most:
        raise refused_by_eks(f"Minimum capacity {least} can't be greater than maximum size {most}")
    if desired > most:
        raise refused_by_eks(f"desired capacity {desired} can't be greater than max size {most}")
    if desired < least:
        raise refused_by_eks(f"Minimum capacity {least} can't be greater than desired size {desired}")


@refuses("eks", "CreateNodegroup", "UpdateNodegroupConfig")
def update_config(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """How many nodes may be away: a number or a percentage."""
    config = given.get("updateConfig", {})
    if "maxUnavailable" in config and "maxUnavailablePercentage" in config:
        raise refused_by_eks("maxUnavailable and maxUnavailablePercentage cannot be used together")
    percentage = config.get("maxUnavailablePercentage", 1)
    if not 1 <= percentage <= _MOST_PERCENT or config.get("maxUnavailable", 1) < 1:
        raise refused_by_eks("maxUnavailable must be at least 1, maxUnavailablePercentage 1 to 100")


@refuses("eks", "CreateNodegroup", "UpdateNodegroupConfig")
def taints(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """Keys of 1 to 63 characters, values of 63 at most, 50 taints at most, each key and effect once."""
    listed = given.get("taints", [])
    taints = listed if isinstance(listed, list) else listed.get("addOrUpdateTaints", [])
    if len(taints) > _MOST_TAINTS:
        raise refused_by_eks(f"A nodegroup can have {_MOST_TAINTS} taints at most")
    for taint in taints:
        if not 1 <= len(taint.get("key", "")) <= _MOST_LABEL or len(taint.get("value", "")) > _MOST_LABEL:
            raise refused_by_eks(
                f"Taint key must be between 1 and 63 characters and value 63 at most: {taint.get('key')!r}"
            )
    places = [(taint.get("key"), taint.get("effect")) for taint in taints]
    if len(places) != len(set(places)):
        raise refused_by_eks("Taints must be unique by key and effect")


@refuses("eks", "CreateNodegroup", "UpdateNodegroupConfig")
def labels(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """Labels that only Kubernetes and EKS themselves set."""
    labels = given.get("labels", {})
    for key in labels.get("addOrUpdateLabels", labels):
        prefix = key.partition("/")[0] + "/" if "/" in key else ""
        if prefix.endswith(_RESERVED_LABELS) and not prefix.startswith("node.kubernetes.io"):
            raise refused_by_eks(f"Label cannot contain reserved prefixes {list(_RESERVED_LABELS)}: {key}")


@refuses("eks", "CreateNodegroup")
def subnets(place: Place, given: dict[str, Any]) -> None:
    """Subnets that exist, in the cluster's VPC."""
    vpc = cluster(place, given["clusterName"])["resourcesVpcConfig"]["vpcId"]
    for identifier in given["subnets"]:
        subnet = place.subnet(identifier)
        if subnet is None:
            raise refused_by_eks(f"The subnet ID '{identifier}' does not exist")
        if subnet.vpc_id != vpc:
            raise refused_by_eks(f"Subnet {identifier} is not in the VPC {vpc} of the cluster")


@refuses("eks", "CreateNodegroup")
def not_beside_a_template(place: Place, given: dict[str, Any]) -> None:
    """What a launch template takes over, and a template that cannot be found."""
    specification = given.get("launchTemplate")
    if specification is None:
        return
    if "diskSize" in given:
        raise refused_by_eks("Disk size must be specified within the launch template.")
    if "remoteAccess" in given:
        raise refused_by_eks("Remote access configuration cannot be specified with a launch template.")
    _check_specification(place, specification)


@refuses("eks", "UpdateNodegroupVersion")
def new_template(place: Place, given: dict[str, Any]) -> None:
    """A template that cannot be found, or another one than the group's."""
    known = place.store.get(NODE_GROUP, place.key(given["clusterName"], given["nodegroupName"])) or {}
    if "launchTemplate" not in given:
        return
    _check_specification(place, given["launchTemplate"])
    template = place.launch_template(given["launchTemplate"])
    if known and template is not None and known.get("launchTemplate", {}).get("id") != template.id:
        raise refused_by_eks("A node group keeps its launch template; only its version can change.")


@refuses("eks", "UpdateNodegroupVersion", "CreateNodegroup")
def version(place: Place, given: dict[str, Any]) -> None:
    """Nodes are never newer than the control plane, nor four versions older."""
    control_plane = cluster(place, given["clusterName"])["version"]
    wanted = given.get("version")
    if wanted is None:
        return
    behind = int(control_plane.split(".")[1]) - int(wanted.split(".")[1])
    if behind < 0 or behind > 3:  # noqa: PLR2004 - the skew that Kubernetes allows
        raise refused_by_eks(
            f"Requested Nodegroup release version {wanted} is invalid: the control plane is at "
            f"{control_plane}."
        )


def _check_specification(place: Place, specification: dict[str, Any]) -> None:
    if ("id" in specification) is ("name" in specification):
        raise refused_by_eks("Either provide launch template ID or launch template name in the request.")
    if place.launch_template(specification) is None or place.launch_template_data(specification) is None:
        raise refused_by_eks(f"Launch template details can't be found: {specification}")
