"""Managed node groups, each with the Auto Scaling group that EKS makes for it."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.capacity_left import issue_of, refusal_of_exchange, refusal_of_launch
from lab.aws_provider.cloud.gaps import ec2_instances
from lab.aws_provider.cloud.gaps.autoscaling import GROUP
from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP, cluster, failed_update, find, now, updated
from lab.aws_provider.cloud.gaps.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
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
    """A node group that is active at once, or that failed because nothing could be launched for it."""
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
    data = place.launch_template_data(document.get("launchTemplate") or {}) or {}
    refused = refusal_of_launch(place, data, sizes["desiredSize"])
    if refused is not None:
        group = document["resources"]["autoScalingGroups"][0]["name"]
        issue = {"code": "AsgInstanceLaunchFailures", "message": issue_of(refused), "resourceIds": [group]}
        document |= {"status": "CREATE_FAILED", "health": {"issues": [issue]}}
    place.store.put(NODE_GROUP, place.key(owner, name), document)
    # The group of a failed one has no instances, however many it asks for.
    launched = sizes if refused is None else {**sizes, "desiredSize": 0}
    write_scaling_group(place, {**document, "scalingConfig": launched})
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


def write_scaling_group(place: Place, document: Document) -> None:
    """Brings the Auto Scaling group and its instances to the sizes of the node group."""
    name = document["resources"]["autoScalingGroups"][0]["name"]
    sizes = document["scalingConfig"]
    instances = ec2_instances.scale(place, document, name, sizes["desiredSize"])
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
