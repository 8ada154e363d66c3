"""Managed node groups and add-ons."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue.eks_cluster import GONE
from lab.aws_provider.catalogue.tagging import by_arn
from lab.aws_provider.flatten import text_map
from lab.aws_provider.mapping import mapped
from lab.aws_provider.resource_type import (
    NO_UPDATE,
    Description,
    Input,
    ResourceType,
    Subject,
    Update,
    at,
    changed_by,
    fixed,
    of_the_provider,
    output,
)
from lab.provider_service.errors import ProviderError


def _group(subject: Subject) -> dict[str, str]:
    cluster, _, name = subject.identifier.partition(":")
    return {"clusterName": cluster, "nodegroupName": name}


def _configure(subject: Subject, changed: set[str]) -> None:
    request: dict[str, Any] = _group(subject)
    expanded = mapped(NODE_GROUP, subject.inputs)
    for name in ("scalingConfig", "updateConfig", "nodeRepairConfig", "warmPoolConfig"):
        if name in changed and name in expanded:
            request[name] = expanded[name]
    if "labels" in changed:
        old, new = subject.state.get("labels") or {}, expanded.get("labels") or {}
        added = {key: value for key, value in new.items() if old.get(key) != value}
        gone = sorted(set(old) - set(new))
        request["labels"] = {
            **({"addOrUpdateLabels": added} if added else {}),
            **({"removeLabels": gone} if gone else {}),
        }
    if "taints" in changed:
        old_taints, new_taints = subject.state.get("taints") or [], expanded.get("taints") or []
        kept = {(taint["key"], taint["effect"]) for taint in new_taints}
        lost = [taint for taint in old_taints if (taint["key"], taint["effect"]) not in kept]
        request["taints"] = {
            **({"addOrUpdateTaints": new_taints} if new_taints else {}),
            **({"removeTaints": lost} if lost else {}),
        }
    subject.api.call("eks", "UpdateNodegroupConfig", request)


def _new_version(subject: Subject, changed: set[str]) -> None:
    request: dict[str, Any] = _group(subject)
    for name in ("version", "releaseVersion", "launchTemplate"):
        if name in changed and subject.inputs.get(name) is not None:
            request[name] = subject[name]
    if "launchTemplate" in request:
        request["launchTemplate"] = {
            key: value
            for key, value in request["launchTemplate"].items()
            if key == "version" or (key == "id") is ("id" in request["launchTemplate"])
        }
    if subject.inputs.get("forceUpdateVersion"):
        request["force"] = True
    answer = subject.api.call("eks", "UpdateNodegroupVersion", request)
    _wait_for_update(subject, answer["update"]["id"])


def _wait_for_update(subject: Subject, identifier: str) -> None:
    """Raises what terraform-provider-aws says of an update that failed (service/eks/node_group.go)."""
    cluster = _group(subject)["clusterName"]
    names = {"name": cluster, "nodegroupName": _group(subject)["nodegroupName"], "updateId": identifier}
    found = subject.api.call("eks", "DescribeUpdate", names)["update"]
    if found["status"] == "Successful":
        return
    errors = [
        f"{', '.join(error['resourceIds'])}: {error['errorCode']}: {error['errorMessage']}"
        for error in found["errors"]
    ]
    raise ProviderError(
        f"waiting for EKS Node Group ({subject.identifier}) version update ({identifier}): unexpected state "
        f"'{found['status']}', wanted target 'Successful'. last error: {'; '.join(errors)}"
    )


def _wait(subject: Subject) -> None:
    """Raises what terraform-provider-aws says of a group that came to nothing (service/eks/node_group.go)."""
    found = subject.api.call("eks", "DescribeNodegroup", _group(subject))["nodegroup"]
    if found["status"] == "ACTIVE":
        return
    issues = [
        f"{', '.join(issue['resourceIds'])}: {issue['code']}: {issue['message']}"
        for issue in found["health"]["issues"]
    ]
    raise ProviderError(
        f"waiting for EKS Node Group ({subject.identifier}) create: unexpected state '{found['status']}', "
        f"wanted target 'ACTIVE'. last error: {'; '.join(issues)}"
    )


def _labels(live: Any, given: Any) -> Any:
    return text_map(live) if given is not None or live else None


def _groups_behind(_: Subject, found: Description) -> list[dict[str, Any]]:
    groups = at(found, "resources.autoScalingGroups") or []
    return [{"autoscalingGroups": [{"name": group["name"]} for group in groups]}]


NODE_GROUP = ResourceType(
    pulumi_type="aws:eks/nodeGroup:NodeGroup",
    service="eks",
    inputs={
        **fixed("clusterName", "amiType", "capacityType", "diskSize", "instanceTypes", "remoteAccess"),
        **fixed("nodeGroupName", create="nodegroupName"),
        **fixed("nodeRoleArn", create="nodeRole"),
        **fixed("subnetIds", create="subnets"),
        **changed_by("config", "scalingConfig", "updateConfig", "nodeRepairConfig", "warmPoolConfig"),
        **changed_by("config", "taints"),
        **changed_by("config", "labels", from_live=_labels),
        **changed_by("version", "version", "releaseVersion"),
        "launchTemplate": Input(update="version", replaced_keys=frozenset({"id", "name"})),
        **of_the_provider("forceUpdateVersion"),
    },
    create="CreateNodegroup",
    finish=_wait,
    identify=lambda subject, answer: f"{subject['clusterName']}:{answer['nodegroup']['nodegroupName']}",
    describe=lambda subject: subject.api.call("eks", "DescribeNodegroup", _group(subject))["nodegroup"],
    delete=lambda subject: subject.api.call("eks", "DeleteNodegroup", _group(subject)),
    updates={"version": Update(_new_version), "config": Update(_configure), **NO_UPDATE},
    outputs={
        "arn": output("nodegroupArn"),
        "resources": _groups_behind,
        "status": output("status"),
        "version": output("version"),
        "releaseVersion": output("releaseVersion"),
        "capacityType": output("capacityType"),
    },
    name="nodeGroupName",
    identity=("clusterName", "nodeGroupName"),
    gone=GONE,
    tagging=by_arn("eks", "nodegroupArn", tag_map=True),
)


def _addon(subject: Subject) -> dict[str, str]:
    cluster, _, name = subject.identifier.partition(":")
    return {"clusterName": cluster, "addonName": name}


def _update_addon(subject: Subject, changed: set[str]) -> None:
    request: dict[str, Any] = _addon(subject)
    expanded = mapped(ADDON, subject.inputs)
    for name in ("addonVersion", "configurationValues", "serviceAccountRoleArn", "podIdentityAssociations"):
        if name in changed:
            request[name] = expanded.get(name, [] if name == "podIdentityAssociations" else "")
    if subject.inputs.get("resolveConflictsOnUpdate"):
        request["resolveConflicts"] = subject["resolveConflictsOnUpdate"]
    subject.api.call("eks", "UpdateAddon", request)


def _delete_addon(subject: Subject) -> None:
    keep = {"preserve": True} if subject.get("preserve") else {}
    subject.api.call("eks", "DeleteAddon", {**_addon(subject), **keep})


ADDON = ResourceType(
    pulumi_type="aws:eks/addon:Addon",
    service="eks",
    inputs={
        **fixed("clusterName", "addonName"),
        **fixed("namespaceConfig", read=None),
        **changed_by("addon", "addonVersion", "configurationValues", "serviceAccountRoleArn"),
        # EKS answers with ARNs of associations, which say nothing of the roles.
        **changed_by("addon", "podIdentityAssociations", read=None),
        **changed_by("nothing", "resolveConflictsOnCreate", create="resolveConflicts", read=None),
        **of_the_provider("resolveConflictsOnUpdate", "preserve"),
    },
    create="CreateAddon",
    identify=lambda subject, _: f"{subject['clusterName']}:{subject['addonName']}",
    describe=lambda subject: subject.api.call("eks", "DescribeAddon", _addon(subject))["addon"],
    delete=_delete_addon,
    updates={"addon": Update(_update_addon), **NO_UPDATE},
    outputs={
        "arn": output("addonArn"),
        "addonVersion": output("addonVersion"),
        "createdAt": lambda _, found: found["createdAt"].isoformat(),
    },
    identity=("clusterName", "addonName"),
    gone=GONE,
    tagging=by_arn("eks", "addonArn", tag_map=True),
)

TYPES = (NODE_GROUP, ADDON)
