"""The ingress and egress lists of a security group: Terraform's form and EC2's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.aws_provider.resource_type import Subject

_OPERATIONS = {"ingress": ("Ingress", "IpPermissions"), "egress": ("Egress", "IpPermissionsEgress")}
_ALL = "-1"


def to_permissions(rules: list[dict[str, Any]], own_group: str) -> list[dict[str, Any]]:
    """EC2's permissions, one a rule."""
    return [_permission(rule, own_group) for rule in rules]


def apply(subject: Subject, changed: set[str]) -> None:
    """Makes the group's rules those that the program lists, where it lists any."""
    asked = {"GroupIds": [subject.identifier]}
    group = subject.api.call("ec2", "DescribeSecurityGroups", asked)["SecurityGroups"][0]
    for name in sorted(changed):
        what, member = _OPERATIONS[name]
        old = [_without_empty(item) for item in group.get(member) or []]
        new = to_permissions(subject.inputs.get(name) or [], subject.identifier)
        request = {"GroupId": subject.identifier}
        if old:
            subject.api.call("ec2", f"RevokeSecurityGroup{what}", {**request, "IpPermissions": old})
        if new:
            subject.api.call("ec2", f"AuthorizeSecurityGroup{what}", {**request, "IpPermissions": new})


def read_back(live: Any, given: Any) -> Any:
    """The program's list where the group's rules are the same; else what the group has."""
    if given is None:
        return None
    found = [_canonical(item) for item in live or []]
    wanted = [_canonical(item) for item in to_permissions(given, "self")]
    without_ids = sorted(map(repr, found)) == sorted(map(repr, wanted))
    return given if without_ids else [_rule(item) for item in live or []]


def _permission(rule: dict[str, Any], own_group: str) -> dict[str, Any]:
    said = {"Description": rule["description"]} if rule.get("description") else {}
    groups = [*rule.get("securityGroups", []), *([own_group] if rule.get("self") else [])]
    permission: dict[str, Any] = {
        "IpProtocol": str(rule["protocol"]),
        "IpRanges": [{"CidrIp": cidr, **said} for cidr in rule.get("cidrBlocks", [])],
        "Ipv6Ranges": [{"CidrIpv6": cidr, **said} for cidr in rule.get("ipv6CidrBlocks", [])],
        "PrefixListIds": [{"PrefixListId": item, **said} for item in rule.get("prefixListIds", [])],
        "UserIdGroupPairs": [{"GroupId": group, **said} for group in groups],
    }
    if permission["IpProtocol"] != _ALL:
        permission |= {"FromPort": int(rule["fromPort"]), "ToPort": int(rule["toPort"])}
    return _without_empty(permission)


def _without_empty(permission: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in permission.items() if value not in ([], None)}


def _canonical(permission: dict[str, Any]) -> tuple[Any, ...]:
    groups = len(permission.get("UserIdGroupPairs", []))
    ranges = sorted(item["CidrIp"] for item in permission.get("IpRanges", []))
    ranges += sorted(item["CidrIpv6"] for item in permission.get("Ipv6Ranges", []))
    return permission["IpProtocol"], permission.get("FromPort"), permission.get("ToPort"), ranges, groups


def _rule(permission: dict[str, Any]) -> dict[str, Any]:
    return {
        "protocol": permission["IpProtocol"],
        "fromPort": permission.get("FromPort", 0),
        "toPort": permission.get("ToPort", 0),
        "cidrBlocks": [item["CidrIp"] for item in permission.get("IpRanges", [])],
        "ipv6CidrBlocks": [item["CidrIpv6"] for item in permission.get("Ipv6Ranges", [])],
        "securityGroups": [item["GroupId"] for item in permission.get("UserIdGroupPairs", [])],
    }
