"""Security groups and their rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.catalogue.tagging import of_ec2, pairs
from lab.aws_provider.resource_type import (
    BUILT,
    Parameters,
    ResourceType,
    Subject,
    by_id,
    changed_by,
    deleted_by,
    fixed,
    not_updated,
    output,
    upper,
)
from lab.provider_service.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.aws_provider.resource_type import Request

_ALL = "-1"
_GROUP_GONE = frozenset({"InvalidGroup.NotFound", "InvalidGroupId.NotFound"})
_OF_GROUP = {"arn": lambda subject, _: subject.arn("ec2", f"security-group/{subject.identifier}")}


def _without_default_egress(subject: Subject) -> None:
    """Terraform's provider takes away the rule that lets everything out, which EC2 adds by itself."""
    everything = [{"IpProtocol": _ALL, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
    request = {"GroupId": subject.identifier, "IpPermissions": everything}
    subject.api.call("ec2", "RevokeSecurityGroupEgress", request)


SECURITY_GROUP = ResourceType(
    pulumi_type="aws:ec2/securityGroup:SecurityGroup",
    service="ec2",
    inputs={
        **fixed("name", create="GroupName"),
        **fixed("description", create=BUILT, read="Description"),
        **fixed("vpcId"),
    },
    create="CreateSecurityGroup",
    identify=lambda _, answer: answer["GroupId"],
    read="DescribeSecurityGroups",
    ask=by_id("GroupIds"),
    found="SecurityGroups.0",
    delete=deleted_by("DeleteSecurityGroup", "GroupId"),
    also=lambda subject: {"Description": subject.inputs.get("description") or "Managed by Pulumi"},
    finish=_without_default_egress,
    outputs={**_OF_GROUP, "description": output("Description")},
    name="name",
    identity=("name", "vpcId"),
    gone=_GROUP_GONE,
    tagging=of_ec2("security-group"),
)


def _default_group(subject: Subject) -> str:
    wanted = {"vpc-id": subject["vpcId"], "group-name": "default"}
    asked = {"Filters": [{"Name": name, "Values": [value]} for name, value in wanted.items()]}
    return subject.api.call("ec2", "DescribeSecurityGroups", asked)["SecurityGroups"][0]["GroupId"]


def _tagged(subject: Subject) -> None:
    """What is taken over was made without tags."""
    subject.api.call("ec2", "CreateTags", {"Resources": [subject.identifier], **pairs(subject.tags)})


def _emptied(subject: Subject, _: set[str]) -> Sequence[Request]:
    """Taking the group over removes every rule. Raises ProviderError for a rule that is listed."""
    if subject.inputs.get("ingress") or subject.inputs.get("egress"):
        raise ProviderError("this stand-in maps no rule to aws:ec2/defaultSecurityGroup:DefaultSecurityGroup")
    answer = subject.api.call("ec2", "DescribeSecurityGroups", {"GroupIds": [subject.identifier]})
    group = answer["SecurityGroups"][0]
    rules = {"Ingress": group["IpPermissions"], "Egress": group["IpPermissionsEgress"]}
    return [
        (f"RevokeSecurityGroup{what}", {"GroupId": subject.identifier, "IpPermissions": found})
        for what, found in rules.items()
        if found
    ]


DEFAULT_SECURITY_GROUP = ResourceType(
    pulumi_type="aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    service="ec2",
    inputs={
        **fixed("vpcId", create=BUILT, read="VpcId"),
        **changed_by("rules", "ingress", create=None, read="IpPermissions"),
        **changed_by("rules", "egress", create=None, read="IpPermissionsEgress"),
    },
    create="CreateSecurityGroup",
    identify=lambda _, answer: answer["GroupId"],
    adopts=_default_group,
    finish=_tagged,
    read="DescribeSecurityGroups",
    ask=by_id("GroupIds"),
    found="SecurityGroups.0",
    # It goes with its VPC; the vendor's provider only forgets it.
    delete=lambda _: [],
    updates={"rules": _emptied},
    outputs={**_OF_GROUP, "name": output("GroupName")},
    gone=_GROUP_GONE,
    tagging=of_ec2("security-group"),
)


def _permission(subject: Subject) -> Parameters:
    given = subject.inputs
    other = {"GroupId": given["referencedSecurityGroupId"]}
    other |= {"Description": given["description"]} if given.get("description") else {}
    ports = {upper(name): int(given[name]) for name in ("fromPort", "toPort") if given.get(name) is not None}
    return {"IpPermissions": [{"IpProtocol": given["ipProtocol"], "UserIdGroupPairs": [other], **ports}]}


def _port(live: Any, given: Any) -> Any:
    # EC2 says -1 for all ports, or nothing.
    return given if live in {None, -1} else live


def _rule_type(what: str) -> ResourceType:
    name = f"securityGroup{what}Rule"
    return ResourceType(
        pulumi_type=f"aws:vpc/{name}:{upper(name)}",
        service="ec2",
        inputs={
            **fixed("securityGroupId", create="GroupId"),
            **not_updated("ipProtocol", create=BUILT),
            # moto forgets the description of a rule about another group.
            **not_updated("description", create=BUILT, from_live=lambda live, given: live or given),
            **not_updated("referencedSecurityGroupId", create=BUILT, read="ReferencedGroupInfo.GroupId"),
            **not_updated("fromPort", create=BUILT, read="FromPort", from_live=_port),
            **not_updated("toPort", create=BUILT, read="ToPort", from_live=_port),
        },
        create=f"AuthorizeSecurityGroup{what}",
        identify=lambda _, answer: answer["SecurityGroupRules"][0]["SecurityGroupRuleId"],
        read="DescribeSecurityGroupRules",
        ask=by_id("SecurityGroupRuleIds"),
        found="SecurityGroupRules.0",
        delete=lambda subject: [
            (
                f"RevokeSecurityGroup{what}",
                {"GroupId": subject.get("securityGroupId"), "SecurityGroupRuleIds": [subject.identifier]},
            )
        ],
        also=_permission,
        outputs={"securityGroupRuleId": output("SecurityGroupRuleId")},
        gone=_GROUP_GONE | {"InvalidSecurityGroupRuleId.NotFound", "InvalidPermission.NotFound"},
        tagging=of_ec2("security-group-rule"),
    )


TYPES = (SECURITY_GROUP, DEFAULT_SECURITY_GROUP, _rule_type("Ingress"), _rule_type("Egress"))
