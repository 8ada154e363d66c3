"""EKS: clusters, node groups, add-ons, and who enters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.catalogue import tagging
from lab.aws_provider.flatten import in_order_of, text_map
from lab.aws_provider.mapping import mapped
from lab.aws_provider.resource_type import (
    NOT_SERVED,
    PROVIDERS_OWN,
    Description,
    Input,
    Parameters,
    ResourceType,
    Subject,
    by_id,
    by_parts,
    changed_by,
    deleted_by,
    fixed,
    not_updated,
    of_the_provider,
    output,
)
from lab.provider_service.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.aws_provider.resource_type import Request

_GONE = frozenset({"ResourceNotFoundException"})


def _enabled_logs(live: Any, given: Any) -> Any:
    setups = [setup for setup in live["clusterLogging"] if setup["enabled"]]
    return in_order_of(given or [], [kind for setup in setups for kind in setup["types"]])


CLUSTER = ResourceType(
    pulumi_type="aws:eks/cluster:Cluster",
    service="eks",
    inputs={
        **fixed("name", "roleArn"),
        # An empty cluster may be encrypted later by AWS's API; here that replaces, too.
        **fixed("encryptionConfig", single=True),
        **fixed("bootstrapSelfManagedAddons", read=None),
        **changed_by("protection", "deletionProtection", default=False),
        **not_updated("upgradePolicy"),
        **changed_by("version", "version"),
        **not_updated("vpcConfig", create="resourcesVpcConfig"),
        "accessConfig": Input(
            update=NOT_SERVED, replaced_keys=frozenset({"bootstrapClusterCreatorAdminPermissions"})
        ),
        "enabledClusterLogTypes": Input(
            create="logging",
            update=NOT_SERVED,
            to_api=lambda enabled: {"clusterLogging": [{"types": sorted(enabled), "enabled": True}]},
            from_live=_enabled_logs,
        ),
    },
    create="CreateCluster",
    identify=lambda _, answer: answer["cluster"]["name"],
    read="DescribeCluster",
    ask=by_id("name"),
    found="cluster",
    delete=deleted_by("DeleteCluster", "name"),
    updates={
        "version": lambda subject, _: [
            ("UpdateClusterVersion", {"name": subject.identifier, "version": subject["version"]})
        ],
        "protection": lambda subject, _: [
            (
                "UpdateClusterConfig",
                {
                    "name": subject.identifier,
                    "deletionProtection": subject.inputs.get("deletionProtection", False),
                },
            )
        ],
    },
    outputs={
        "arn": output("arn"),
        "endpoint": output("endpoint"),
        "certificateAuthority": output("certificateAuthority"),
        "platformVersion": output("platformVersion"),
        "status": output("status"),
        "version": output("version"),
        "vpcConfig": lambda _, found: {
            key: found["resourcesVpcConfig"][key] for key in ("vpcId", "clusterSecurityGroupId")
        },
    },
    volatile=frozenset({"platformVersion", "status"}),
    name="name",
    identity=("name",),
    gone=_GONE,
    tagging=tagging.mapped,
)

_group = by_parts(":", "clusterName", "nodegroupName")


def _configured(subject: Subject, changed: set[str]) -> Sequence[Request]:
    expanded = mapped(NODE_GROUP, subject.inputs)
    request = {name: expanded[name] for name in expanded if name in changed}
    return [("UpdateNodegroupConfig", _group(subject) | request)]


def _new_version(subject: Subject, changed: set[str]) -> Sequence[Request]:
    given = ("version", "releaseVersion", "launchTemplate")
    request: Parameters = {name: subject[name] for name in given if name in changed & subject.inputs.keys()}
    if "launchTemplate" in request:
        template = request["launchTemplate"]
        request["launchTemplate"] = {key: template[key] for key in ("id", "version") if key in template}
    return [("UpdateNodegroupVersion", _group(subject) | request)]


def _wait(subject: Subject) -> None:
    """Raises what terraform-provider-aws says of a group that came to nothing (service/eks/node_group.go)."""
    found = subject.api.call("eks", "DescribeNodegroup", _group(subject))["nodegroup"]
    issues = [
        f"{', '.join(issue['resourceIds'])}: {issue['code']}: {issue['message']}"
        for issue in found["health"]["issues"]
    ]
    if found["status"] != "ACTIVE":
        raise ProviderError(
            f"waiting for EKS Node Group ({subject.identifier}) create: unexpected state "
            f"'{found['status']}', wanted target 'ACTIVE'. last error: {'; '.join(issues)}"
        )


def _groups_behind(_: Subject, found: Description) -> list[dict[str, Any]]:
    groups = found["resources"]["autoScalingGroups"]
    return [{"autoscalingGroups": [{"name": group["name"]} for group in groups]}]


def _retagged(subject: Subject, old: dict[str, str]) -> Sequence[Request]:
    # A pool's tags say when its Capacity Block ends.
    group = {"resourceArn": subject.state["arn"]}
    gone = sorted(set(old) - set(subject.tags))
    removed: list[Request] = [("UntagResource", group | {"tagKeys": gone})] if gone else []
    return [*removed, ("TagResource", group | {"tags": subject.tags})]


NODE_GROUP = ResourceType(
    pulumi_type="aws:eks/nodeGroup:NodeGroup",
    service="eks",
    inputs={
        **fixed("clusterName", "amiType", "capacityType", "instanceTypes"),
        **fixed("nodeGroupName", create="nodegroupName"),
        **fixed("nodeRoleArn", create="nodeRole"),
        **fixed("subnetIds", create="subnets"),
        **changed_by("config", "scalingConfig", "updateConfig", "nodeRepairConfig"),
        **not_updated("taints"),
        **not_updated(
            "labels", from_live=lambda live, given: text_map(live) if given is not None or live else None
        ),
        **changed_by("version", "version", "releaseVersion"),
        "launchTemplate": Input(update="version", replaced_keys=frozenset({"id", "name"})),
        **of_the_provider("forceUpdateVersion"),
    },
    create="CreateNodegroup",
    finish=_wait,
    identify=lambda subject, answer: f"{subject['clusterName']}:{answer['nodegroup']['nodegroupName']}",
    read="DescribeNodegroup",
    ask=_group,
    found="nodegroup",
    delete=lambda subject: [("DeleteNodegroup", _group(subject))],
    updates={"version": _new_version, "config": _configured},
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
    gone=_GONE,
    tagging=tagging.mapped,
    retag=_retagged,
)

_addon = by_parts(":", "clusterName", "addonName")

ADDON = ResourceType(
    pulumi_type="aws:eks/addon:Addon",
    service="eks",
    inputs={
        **fixed("clusterName", "addonName"),
        **not_updated("addonVersion", "configurationValues"),
        # EKS answers with ARNs of associations, which say nothing of the roles.
        **not_updated("podIdentityAssociations", read=None),
        **changed_by(PROVIDERS_OWN, "resolveConflictsOnCreate", create="resolveConflicts", read=None),
        **of_the_provider("resolveConflictsOnUpdate"),
    },
    create="CreateAddon",
    identify=lambda subject, _: f"{subject['clusterName']}:{subject['addonName']}",
    read="DescribeAddon",
    ask=_addon,
    found="addon",
    delete=lambda subject: [("DeleteAddon", _addon(subject))],
    outputs={"arn": output("addonArn"), "addonVersion": output("addonVersion")},
    identity=("clusterName", "addonName"),
    gone=_GONE,
    tagging=tagging.mapped,
)

_entry = by_parts(":", "clusterName", "principalArn")

ACCESS_ENTRY = ResourceType(
    pulumi_type="aws:eks/accessEntry:AccessEntry",
    service="eks",
    inputs={
        **fixed("clusterName", "principalArn"),
        **fixed("type", default="STANDARD"),
    },
    create="CreateAccessEntry",
    identify=lambda subject, _: f"{subject['clusterName']}:{subject['principalArn']}",
    read="DescribeAccessEntry",
    ask=_entry,
    found="accessEntry",
    delete=lambda subject: [("DeleteAccessEntry", _entry(subject))],
    outputs={"accessEntryArn": output("accessEntryArn"), "userName": output("username")},
    identity=("clusterName", "principalArn"),
    gone=_GONE,
    tagging=tagging.mapped,
)


def _association(subject: Subject) -> Parameters:
    cluster, principal, policy = subject.identifier.split("#")
    return {"clusterName": cluster, "principalArn": principal, "policyArn": policy}


def _associated(subject: Subject, found: Description) -> Description | None:
    wanted = _association(subject)
    policies = found["associatedAccessPolicies"]
    return next(({**wanted, **each} for each in policies if each["policyArn"] == wanted["policyArn"]), None)


ACCESS_POLICY_ASSOCIATION = ResourceType(
    pulumi_type="aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    service="eks",
    inputs=fixed("clusterName", "principalArn", "policyArn", "accessScope"),
    create="AssociateAccessPolicy",
    identify=lambda subject, _: "#".join(
        subject[key] for key in ("clusterName", "principalArn", "policyArn")
    ),
    read="ListAssociatedAccessPolicies",
    ask=lambda subject: {key: value for key, value in _association(subject).items() if key != "policyArn"},
    found="",
    complete=_associated,
    delete=lambda subject: [("DisassociateAccessPolicy", _association(subject))],
    identity=("clusterName", "principalArn", "policyArn"),
    gone=_GONE,
)

TYPES = (CLUSTER, NODE_GROUP, ADDON, ACCESS_ENTRY, ACCESS_POLICY_ASSOCIATION)
