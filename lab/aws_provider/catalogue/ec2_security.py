"""Security groups and their rules."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue import ec2_inline_rules
from lab.aws_provider.catalogue.tagging import of_ec2
from lab.aws_provider.errors import AwsError
from lab.aws_provider.resource_type import (
    BUILT,
    NO_UPDATE,
    Description,
    Input,
    ResourceType,
    Subject,
    Update,
    changed_by,
    first,
    fixed,
    of_the_provider,
    output,
)

_GONE = frozenset({"InvalidGroup.NotFound", "InvalidGroupId.NotFound", "InvalidSecurityGroupID.NotFound"})


def _describe(subject: Subject) -> Description | None:
    return first(
        subject, "ec2", "DescribeSecurityGroups", {"GroupIds": [subject.identifier]}, "SecurityGroups"
    )


def _without_default_egress(subject: Subject) -> None:
    """Terraform's provider takes away the rule that lets everything out, which EC2 adds by itself."""
    everything = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
    request = {"GroupId": subject.identifier, "IpPermissions": everything}
    subject.api.call("ec2", "RevokeSecurityGroupEgress", request)


def _revoke_all(subject: Subject) -> None:
    if not subject.get("revokeRulesOnDelete"):
        return
    without_rules = Subject(subject.api, subject.account, subject.identifier)
    ec2_inline_rules.apply(without_rules, {"ingress", "egress"})


def _delete(subject: Subject) -> None:
    _revoke_all(subject)
    subject.api.call("ec2", "DeleteSecurityGroup", {"GroupId": subject.identifier})


_LISTS = {
    "ingress": Input(create=None, read="IpPermissions", update="rules", from_live=ec2_inline_rules.read_back),
    "egress": Input(
        create=None, read="IpPermissionsEgress", update="rules", from_live=ec2_inline_rules.read_back
    ),
}
_OUTPUTS = {
    "arn": lambda subject, _: subject.arn("ec2", f"security-group/{subject.identifier}"),
    "ownerId": output("OwnerId"),
}

SECURITY_GROUP = ResourceType(
    pulumi_type="aws:ec2/securityGroup:SecurityGroup",
    service="ec2",
    inputs={
        **fixed("name", create="GroupName"),
        **fixed("description", create=BUILT, read="Description"),
        **fixed("vpcId"),
        **_LISTS,
        **of_the_provider("revokeRulesOnDelete"),
    },
    create="CreateSecurityGroup",
    identify=lambda _, answer: answer["GroupId"],
    describe=_describe,
    delete=_delete,
    also=lambda subject: {"Description": subject.inputs.get("description") or "Managed by Pulumi"},
    finish=_without_default_egress,
    updates={"rules": Update(ec2_inline_rules.apply), **NO_UPDATE},
    outputs={**_OUTPUTS, "description": output("Description"), "vpcId": output("VpcId")},
    name="name",
    identity=("name", "vpcId"),
    gone=_GONE,
    tagging=of_ec2("security-group"),
)


def _default_group(subject: Subject) -> str:
    wanted = [
        {"Name": "vpc-id", "Values": [subject["vpcId"]]},
        {"Name": "group-name", "Values": ["default"]},
    ]
    group = first(subject, "ec2", "DescribeSecurityGroups", {"Filters": wanted}, "SecurityGroups")
    return group["GroupId"]


def _empty_it(subject: Subject) -> None:
    """Taking the group over removes every rule, also those of lists that the program does not give."""
    ec2_inline_rules.apply(Subject(subject.api, subject.account, subject.identifier), {"ingress", "egress"})


DEFAULT_SECURITY_GROUP = ResourceType(
    pulumi_type="aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    service="ec2",
    inputs={
        **fixed("vpcId", create=BUILT, read="VpcId"),
        **_LISTS,
        **of_the_provider("revokeRulesOnDelete"),
    },
    create="CreateSecurityGroup",
    identify=lambda _, answer: answer["GroupId"],
    adopts=_default_group,
    finish=_empty_it,
    describe=_describe,
    # It goes with its VPC; the vendor's provider only forgets it.
    delete=lambda _: None,
    updates={"rules": Update(ec2_inline_rules.apply), **NO_UPDATE},
    outputs={**_OUTPUTS, "name": output("GroupName"), "description": output("Description")},
    gone=_GONE,
    tagging=of_ec2("security-group"),
)

_RANGES = {
    "cidrIpv4": ("IpRanges", "CidrIp", "CidrIpv4"),
    "cidrIpv6": ("Ipv6Ranges", "CidrIpv6", "CidrIpv6"),
    "prefixListId": ("PrefixListIds", "PrefixListId", "PrefixListId"),
    "referencedSecurityGroupId": ("UserIdGroupPairs", "GroupId", "ReferencedGroupId"),
}
_ALL = "-1"


def _permission(subject: Subject) -> dict[str, Any]:
    given = subject.inputs
    said = {"Description": given["description"]} if given.get("description") else {}
    permission: dict[str, Any] = {"IpProtocol": given["ipProtocol"]}
    for name, (member, key, _) in _RANGES.items():
        if given.get(name):
            permission[member] = [{key: given[name], **said}]
    if given["ipProtocol"] != _ALL:
        ports = {"FromPort": given.get("fromPort"), "ToPort": given.get("toPort")}
        permission |= {key: int(value) for key, value in ports.items() if value is not None}
    return {"IpPermissions": [permission]}


def _modify(subject: Subject, _: set[str]) -> None:
    given = subject.inputs
    rule = {"IpProtocol": given["ipProtocol"], "Description": given.get("description", "")}
    for name, (_member, _key, key) in _RANGES.items():
        if given.get(name):
            rule[key] = given[name]
    for name, key in (("fromPort", "FromPort"), ("toPort", "ToPort")):
        rule[key] = int(given.get(name, -1))
    change = {"SecurityGroupRuleId": subject.identifier, "SecurityGroupRule": rule}
    request = {"GroupId": given["securityGroupId"], "SecurityGroupRules": [change]}
    subject.api.call("ec2", "ModifySecurityGroupRules", request)


def _describe_rule(subject: Subject) -> Description | None:
    asked = {"SecurityGroupRuleIds": [subject.identifier]}
    return first(subject, "ec2", "DescribeSecurityGroupRules", asked, "SecurityGroupRules")


def _port(live: Any, given: Any) -> Any:
    # EC2 says -1 for all ports, or nothing.
    return given if live in {None, -1} else live


def _description(live: Any, given: Any) -> Any:
    # moto forgets the description of a rule about another group.
    return live or given


def _rule_type(what: str) -> ResourceType:
    def delete(subject: Subject) -> None:
        request = {"GroupId": subject.get("securityGroupId"), "SecurityGroupRuleIds": [subject.identifier]}
        try:
            subject.api.call("ec2", f"RevokeSecurityGroup{what}", request)
        except AwsError as error:
            if error.code not in _RULE_GONE:
                raise

    name = f"securityGroup{what}Rule"
    return ResourceType(
        pulumi_type=f"aws:vpc/{name}:{name[0].upper()}{name[1:]}",
        service="ec2",
        inputs={
            **fixed("securityGroupId", create="GroupId"),
            **changed_by("rule", "ipProtocol", "cidrIpv4", "cidrIpv6", "prefixListId", create=BUILT),
            **changed_by("rule", "description", create=BUILT, from_live=_description),
            **changed_by(
                "rule", "referencedSecurityGroupId", create=BUILT, read="ReferencedGroupInfo.GroupId"
            ),
            **changed_by("rule", "fromPort", create=BUILT, read="FromPort", from_live=_port),
            **changed_by("rule", "toPort", create=BUILT, read="ToPort", from_live=_port),
        },
        create=f"AuthorizeSecurityGroup{what}",
        identify=lambda _, answer: answer["SecurityGroupRules"][0]["SecurityGroupRuleId"],
        describe=_describe_rule,
        delete=delete,
        also=_permission,
        updates={"rule": Update(_modify)},
        outputs={
            "arn": lambda subject, _: subject.arn("ec2", f"security-group-rule/{subject.identifier}"),
            "securityGroupRuleId": output("SecurityGroupRuleId"),
        },
        gone=_RULE_GONE,
        tagging=of_ec2("security-group-rule"),
    )


_RULE_GONE = _GONE | {"InvalidSecurityGroupRuleId.NotFound", "InvalidPermission.NotFound"}

TYPES = (SECURITY_GROUP, DEFAULT_SECURITY_GROUP, _rule_type("Ingress"), _rule_type("Egress"))
