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
    answer = session.api.call("sts", "GetCallerIdentity")
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
    role = session.api.call("iam", "GetRole", {"RoleName": session_of["role"]})["Role"]
    return {
        "arn": arn,
        "id": arn,
        "issuerArn": role["Arn"],
        "issuerId": role["RoleId"],
        "issuerName": role["RoleName"],
        "sessionName": session_of["session"],
    }


def _node_group(session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
    """As terraform-provider-aws does, internal/service/eks/node_group_data_source.go; the keys in use."""
    asked = {"clusterName": arguments["clusterName"], "nodegroupName": arguments["nodeGroupName"]}
    group = session.api.call("eks", "DescribeNodegroup", asked)["nodegroup"]
    return {
        "id": ":".join(asked.values()),
        "clusterName": group["clusterName"],
        "nodeGroupName": group["nodegroupName"],
        "status": group["status"],
        "version": group["version"],
        "releaseVersion": group["releaseVersion"],
        "scalingConfigs": [group["scalingConfig"]],
    }


_FUNCTIONS: dict[str, Callable[[Session, dict[str, Any]], dict[str, Any]]] = {
    "aws:index/getCallerIdentity:getCallerIdentity": _caller_identity,
    "aws:iam/getSessionContext:getSessionContext": _session_context,
    "aws:eks/getNodeGroup:getNodeGroup": _node_group,
}
