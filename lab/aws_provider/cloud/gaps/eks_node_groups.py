"""Managed node groups, each with the Auto Scaling group that EKS makes for it."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.capacity_left import PENDING, issue_of, refusal_of_exchange, refusal_of_launch
from lab.aws_provider.cloud.gaps import ec2_instances, scaling_activities
from lab.aws_provider.cloud.gaps.autoscaling import GROUP
from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP, cluster, failed_update, find, now, updated
from lab.aws_provider.cloud.gaps.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.refusal import Refused
    from lab.aws_provider.cloud.store import Document

_DEFAULTS = {
    "capacityType": "ON_DEMAND",
    "labels": {},
    "taints": [],
    "tags": {},
    "updateConfig": {"maxUnavailable": 1},
}
_REQUEST_ONLY = {"clientRequestToken"}


@answers("eks", "CreateNodegroup")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A node group that is active at once, or that failed because nothing will ever be launched for it.

    One in a Capacity Block whose window has not opened is active: its launches fail until then
    (https://docs.aws.amazon.com/eks/latest/userguide/ml-node-groups.html).
    """
    owner, name, unique = given["clusterName"], given["nodegroupName"], str(uuid.uuid4())
    sizes = given.get("scalingConfig") or {"minSize": 1, "maxSize": 2, "desiredSize": 2}
    version = given.get("version") or cluster(place, owner)["version"]
    document = {
        **_DEFAULTS,
        **{key: value for key, value in given.items() if key not in _REQUEST_ONLY},
        "nodegroupArn": place.arn("eks", f"nodegroup/{owner}/{name}/{unique}"),
        "version": version,
        "releaseVersion": given.get("releaseVersion") or f"{version}.0-20261101",
        "createdAt": now(),
        "modifiedAt": now(),
        "status": "ACTIVE",
        "scalingConfig": sizes,
        "resources": {"autoScalingGroups": [{"name": f"eks-{name}-{unique}"}]},
        "health": {"issues": []},
    }
    if "launchTemplate" in given:
        document["launchTemplate"] = _template(place, given["launchTemplate"])
    else:
        document.setdefault("instanceTypes", ["t3.medium"])
        document.setdefault("diskSize", 20)
        document.setdefault("amiType", "AL2023_x86_64_STANDARD")
    refused = _refusal(place, document)
    if refused is not None and refused.code != PENDING:
        document["status"] = "CREATE_FAILED"
    write_scaling_group(place, document)
    return {"nodegroup": document}


@answers("eks", "DescribeNodegroup")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The node group."""
    return {"nodegroup": _find(place, given)}


@answers("eks", "ListNodegroups")
def names(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Names, all on one page."""
    cluster(place, given["clusterName"])
    found = place.store.all(NODE_GROUP, place.key(given["clusterName"], ""))
    return {"nodegroups": [item["nodegroupName"] for item in found]}


@answers("eks", "DeleteNodegroup")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes the node group, its Auto Scaling group and its instances."""
    document = _find(place, given)
    place.store.delete(NODE_GROUP, place.key(given["clusterName"], given["nodegroupName"]))
    scaling_group = document["resources"]["autoScalingGroups"][0]["name"]
    place.store.delete(GROUP, place.key(scaling_group))
    ec2_instances.scale(place, document, scaling_group, 0)
    scaling_activities.forget(place, scaling_group)
    return {"nodegroup": {**document, "status": "DELETING"}}


@answers("eks", "UpdateNodegroupConfig")
def configure(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Labels, taints, sizes, how many nodes an update may take away, repair."""
    document = _find(place, given)
    labels = given.get("labels", {})
    for key in labels.get("removeLabels", []):
        document["labels"].pop(key, None)
    document["labels"].update(labels.get("addOrUpdateLabels", {}))
    taints = given.get("taints", {})
    gone = taints.get("removeTaints", [])
    changed = taints.get("addOrUpdateTaints", [])
    replaced = {(item["key"], item["effect"]) for item in (*gone, *changed)}
    kept = [item for item in document["taints"] if (item["key"], item["effect"]) not in replaced]
    document["taints"] = kept + changed
    document["scalingConfig"].update(given.get("scalingConfig", {}))
    for key in ("updateConfig", "nodeRepairConfig", "warmPoolConfig"):
        if key in given:
            document[key] = given[key]
    write_scaling_group(place, document)
    return _updated(place, document, "ConfigUpdate")


@answers("eks", "UpdateNodegroupVersion")
def upgrade(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Kubernetes version, AMI release or launch template version."""
    document = _find(place, given)
    data = place.launch_template_data(given.get("launchTemplate") or document.get("launchTemplate") or {})
    refused = refusal_of_exchange(place, document, data or {})
    if refused is not None:
        name, message = document["nodegroupName"], issue_of(refused)
        failure = {"code": "NodeCreationFailure", "message": message}
        return failed_update(place, document["clusterName"], what="VersionUpdate", subject=name, **failure)
    if "launchTemplate" in given:
        document["launchTemplate"] = _template(place, given["launchTemplate"])
    document["version"] = given.get("version") or document["version"]
    document["releaseVersion"] = given.get("releaseVersion") or f"{document['version']}.0-20261101"
    # Every node is another one afterwards.
    ec2_instances.scale(place, document, document["resources"]["autoScalingGroups"][0]["name"], 0)
    write_scaling_group(place, document)
    return _updated(place, document, "VersionUpdate")


def _find(place: Place, given: dict[str, Any]) -> Document:
    cluster(place, given["clusterName"])
    name = given["nodegroupName"]
    message = f"No node group found for name: {name}."
    return find(place, NODE_GROUP, message, given["clusterName"], name)


def _template(place: Place, given: dict[str, Any]) -> Document:
    template = place.launch_template(given)
    version = given.get("version") or str(template.default_version_number)  # pyright: ignore[reportOptionalMemberAccess] - a rule has looked
    return {"id": template.id, "name": template.name, "version": version}  # pyright: ignore[reportOptionalMemberAccess] - a rule has looked


def _updated(place: Place, document: Document, what: str) -> dict[str, Any]:
    names = document["clusterName"], document["nodegroupName"]
    return updated(place, NODE_GROUP, document, *names, what=what, subject=document["nodegroupName"])


def _refusal(place: Place, document: Document) -> Refused | None:
    data = place.launch_template_data(document.get("launchTemplate") or {}) or {}
    return refusal_of_launch(place, data, document["scalingConfig"]["desiredSize"])


def write_scaling_group(place: Place, document: Document) -> None:
    """Brings the Auto Scaling group and its instances to the sizes of the node group, as far as EC2 lets it.

    What EC2 refuses stands in the node group's health for as long as it does, and among the group's scaling
    activities.
    """
    name = document["resources"]["autoScalingGroups"][0]["name"]
    sizes = document["scalingConfig"]
    refused = _refusal(place, document)
    instances = ec2_instances.scale(place, document, name, sizes["desiredSize"], refused=refused is not None)
    issues = []
    if refused is not None and len(instances) < sizes["desiredSize"]:
        message = issue_of(refused)
        issues = [{"code": "AsgInstanceLaunchFailures", "message": message, "resourceIds": [name]}]
        if document["health"]["issues"] != issues:
            scaling_activities.log_failure(place, name, message)
    document["health"] = {"issues": issues}
    place.store.put(NODE_GROUP, place.key(document["clusterName"], document["nodegroupName"]), document)
    zones = {place.subnet(item).availability_zone for item in document["subnets"]}  # pyright: ignore[reportOptionalMemberAccess] - a rule has looked
    place.store.put(
        GROUP,
        place.key(name),
        {
            "AutoScalingGroupName": name,
            "MinSize": sizes["minSize"],
            "MaxSize": sizes["maxSize"],
            "DesiredCapacity": sizes["desiredSize"],
            "DefaultCooldown": 300,
            "AvailabilityZones": sorted(zones),
            "HealthCheckType": "EC2",
            "CreatedTime": document["createdAt"],
            "VPCZoneIdentifier": ",".join(document["subnets"]),
            "Instances": [
                {
                    "InstanceId": instance["InstanceId"],
                    "InstanceType": instance["InstanceType"],
                    "AvailabilityZone": instance["Placement"]["AvailabilityZone"],
                    "LifecycleState": "InService",
                    "HealthStatus": "Healthy",
                    "ProtectedFromScaleIn": False,
                }
                for instance in instances
            ],
            "Tags": [
                {
                    "ResourceId": name,
                    "ResourceType": "auto-scaling-group",
                    "Key": "eks:nodegroup-name",
                    "Value": document["nodegroupName"],
                    "PropagateAtLaunch": True,
                }
            ],
        },
    )
