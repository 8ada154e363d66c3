"""Managed node groups, each with the Auto Scaling group and the instances that EKS has made for it."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps import instances
from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP, cluster
from lab.aws_provider.cloud.gaps.instances import GROUP, PENDING, issue_of, refusal_of_launch
from lab.aws_provider.cloud.place import now
from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

_DEFAULTS = {
    "capacityType": "ON_DEMAND",
    "labels": {},
    "taints": [],
    "tags": {},
    "updateConfig": {"maxUnavailable": 1},
    "scalingConfig": {"minSize": 1, "maxSize": 2, "desiredSize": 2},
}


@answers("eks", "CreateNodegroup")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A node group that is active at once, or that failed because nothing will ever be launched for it.

    One in a Capacity Block whose window has not opened is active: its launches fail until then
    (https://docs.aws.amazon.com/eks/latest/userguide/ml-node-groups.html).
    """
    owner, name, unique = given["clusterName"], given["nodegroupName"], str(uuid.uuid4())
    version = given.get("version") or cluster(place, owner)["version"]
    document = {
        **_DEFAULTS,
        **given,
        "nodegroupArn": place.arn("eks", f"nodegroup/{owner}/{name}/{unique}"),
        "version": version,
        "releaseVersion": given.get("releaseVersion") or f"{version}.0-20261101",
        "createdAt": now(),
        "status": "ACTIVE",
        "resources": {"autoScalingGroups": [{"name": f"eks-{name}-{unique}"}]},
        "health": {"issues": []},
    }
    if "launchTemplate" in given:
        document["launchTemplate"] = _template(place, given["launchTemplate"])
    refused = refusal_of_launch(place, document, document["scalingConfig"]["desiredSize"])
    if refused is not None and refused.code != PENDING:
        document["status"] = "CREATE_FAILED"
    write_scaling_group(place, document)
    return {"nodegroup": document}


@answers("eks", "DeleteNodegroup")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes the node group, its Auto Scaling group and its instances."""
    scaling_group = scaling_group_of(NODE_GROUP.find(place, given))
    place.store.delete(GROUP, place.key(scaling_group))
    place.store.delete_all(instances.INSTANCE, place.key(scaling_group, ""))
    return NODE_GROUP.delete(place, given)


@answers("eks", "UpdateNodegroupConfig")
def configure(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Labels, taints, sizes, how many nodes an update may take away, repair."""
    document = NODE_GROUP.find(place, given)
    labels, taints = given.get("labels", {}), given.get("taints", {})
    document["labels"] |= labels.get("addOrUpdateLabels", {})
    for key in labels.get("removeLabels", []):
        document["labels"].pop(key, None)
    changed = taints.get("addOrUpdateTaints", [])
    replaced = {(item["key"], item["effect"]) for item in (*taints.get("removeTaints", []), *changed)}
    kept = [item for item in document["taints"] if (item["key"], item["effect"]) not in replaced]
    document["taints"] = kept + changed
    document["scalingConfig"] |= given.get("scalingConfig", {})
    document |= {key: given[key] for key in ("updateConfig", "nodeRepairConfig") if key in given}
    write_scaling_group(place, document)
    return NODE_GROUP.updated(place, document, "ConfigUpdate")


@answers("eks", "UpdateNodegroupVersion")
def upgrade(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Kubernetes version, AMI release or launch template version; every node is another one afterwards."""
    document = NODE_GROUP.find(place, given)
    if "launchTemplate" in given:
        document["launchTemplate"] = _template(place, given["launchTemplate"])
    document["version"] = given.get("version") or document["version"]
    document["releaseVersion"] = given.get("releaseVersion") or f"{document['version']}.0-20261101"
    place.store.delete_all(instances.INSTANCE, place.key(scaling_group_of(document), ""))
    write_scaling_group(place, document)
    return NODE_GROUP.updated(place, document, "VersionUpdate")


@answers("eks", "TagResource")
def tag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Adds tags to a node group, or changes their values."""
    document = _named_by(place, given["resourceArn"])
    NODE_GROUP.put(place, document | {"tags": document["tags"] | given["tags"]})
    return {}


@answers("eks", "UntagResource")
def untag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Takes tags away from a node group."""
    document = _named_by(place, given["resourceArn"])
    left = {name: value for name, value in document["tags"].items() if name not in given["tagKeys"]}
    NODE_GROUP.put(place, document | {"tags": left})
    return {}


def scaling_group_of(document: Document) -> str:
    """The name of the Auto Scaling group of a node group."""
    return document["resources"]["autoScalingGroups"][0]["name"]


def write_scaling_group(place: Place, document: Document) -> None:
    """Brings the Auto Scaling group and its instances to the sizes of the node group, as far as EC2 lets it.

    Nothing is launched where EC2 refuses it, or while the group's processes are suspended. What EC2 refuses
    stands in the node group's health for as long as it does.
    """
    name, sizes = scaling_group_of(document), document["scalingConfig"]
    refused = refusal_of_launch(place, document, sizes["desiredSize"])
    suspended = (place.store.get(GROUP, place.key(name)) or {}).get("SuspendedProcesses", [])
    launches = refused is None and not suspended
    running = instances.scale(place, document, name, sizes["desiredSize"], launches=launches)
    issues = []
    if refused is not None and len(running) < sizes["desiredSize"]:
        issue = {"code": "AsgInstanceLaunchFailures", "message": issue_of(refused), "resourceIds": [name]}
        issues.append(issue)
    document["health"] = {"issues": issues}
    NODE_GROUP.put(place, document)
    group = {
        "AutoScalingGroupName": name,
        "MinSize": sizes["minSize"],
        "MaxSize": sizes["maxSize"],
        "DesiredCapacity": sizes["desiredSize"],
        "DefaultCooldown": 300,
        "SuspendedProcesses": suspended,
        "AvailabilityZones": sorted({each["Placement"]["AvailabilityZone"] for each in running}),
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
            for instance in running
        ],
    }
    place.store.put(GROUP, place.key(name), group)


def _named_by(place: Place, arn: str) -> Document:
    for document in NODE_GROUP.all(place):
        if document["nodegroupArn"] == arn:
            return document
    raise Refused("NotFoundException", f"No resource found for ARN: {arn}")


def _template(place: Place, given: dict[str, Any]) -> Document:
    template = place.moto("ec2").get_launch_template(given["id"])
    return {"id": template.id, "name": template.name, "version": given["version"]}
