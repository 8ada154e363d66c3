"""The functions of pulumi-aws that a program may call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lab.provider_service.errors import NotServedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.aws_provider.session import Session


_SESSION = re.compile(r"arn:aws[a-z-]*:sts::\d{12}:assumed-role/(?P<role>[^/]+)/(?P<session>.+)")


def invoke(session: Session, token: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The function's result. Raises NotServedError for all but a few."""
    function = _FUNCTIONS.get(token)
    if function is None:
        raise NotServedError(
            f"this stand-in does not serve the function {token}; it serves {', '.join(sorted(_FUNCTIONS))}"
        )
    return function(session, arguments)


def _caller_identity(session: Session, _: dict[str, Any]) -> dict[str, Any]:
    answer = session.api().call("sts", "GetCallerIdentity")
    return {
        "accountId": answer["Account"],
        "arn": answer["Arn"],
        "userId": answer["UserId"],
        "id": answer["Account"],
    }


def _session_context(session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
    """As terraform-provider-aws does: of a session the role, asked by its name; of anything else itself."""
    arn = arguments["arn"]
    session_of = _SESSION.fullmatch(arn)
    if session_of is None:
        return {"arn": arn, "id": arn, "issuerArn": arn, "issuerId": "", "issuerName": "", "sessionName": ""}
    role = session.api().call("iam", "GetRole", {"RoleName": session_of["role"]})["Role"]
    return {
        "arn": arn,
        "id": arn,
        "issuerArn": role["Arn"],
        "issuerId": role["RoleId"],
        "issuerName": role["RoleName"],
        "sessionName": session_of["session"],
    }


def _region(session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
    name = arguments.get("region") or arguments.get("name") or session.settings.region
    return {
        "id": name,
        "name": name,
        "region": name,
        "endpoint": f"ec2.{name}.amazonaws.com",
        "description": name,
    }


def _partition(session: Session, _: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "aws",
        "partition": "aws",
        "dnsSuffix": "amazonaws.com",
        "reverseDnsPrefix": "com.amazonaws",
        "region": session.settings.region,
    }


def _availability_zones(session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
    refused = set(arguments) - {"allAvailabilityZones", "state", "region"}
    if refused:
        raise NotServedError(f"this stand-in does not serve {min(refused)!r} of aws.getAvailabilityZones")
    api = session.api(arguments.get("region"))
    everything = {"AllAvailabilityZones": True} if arguments.get("allAvailabilityZones") else {}
    zones = api.call("ec2", "DescribeAvailabilityZones", everything)["AvailabilityZones"]
    return {
        "id": api.region,
        "names": [zone["ZoneName"] for zone in zones],
        "zoneIds": [zone["ZoneId"] for zone in zones],
        "groupNames": sorted({zone["GroupName"] for zone in zones}),
        **arguments,
    }


_FUNCTIONS: dict[str, Callable[[Session, dict[str, Any]], dict[str, Any]]] = {
    "aws:index/getCallerIdentity:getCallerIdentity": _caller_identity,
    "aws:iam/getSessionContext:getSessionContext": _session_context,
    "aws:index/getRegion:getRegion": _region,
    "aws:index/getPartition:getPartition": _partition,
    "aws:index/getAvailabilityZones:getAvailabilityZones": _availability_zones,
}
