"""Log groups of control planes, service quotas, and who asks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.refusal import require
from lab.aws_provider.cloud.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

LAST_LINES = "eks-last-log-lines"
"""Names of log groups that a deleted cluster has still something to write to."""
_ENOUGH = 100000.0


@answers("logs", "DeleteLogGroup")
def delete_log_group(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes a log group; one of a deleted cluster is there again, the first time.

    EKS writes its last lines after the cluster and the group are gone, and the service makes the group again,
    with no end to how long it keeps lines (terraform-aws-modules/terraform-aws-eks#920). On AWS this is a
    race; here it is lost each time.
    """
    name, logs = given["logGroupName"], place.moto("logs")
    require(name in logs.groups, "ResourceNotFoundException", "The specified log group does not exist.")
    logs.delete_log_group(name)
    if place.store.delete(LAST_LINES, place.key(name)) is not None:
        logs.create_log_group(name, {})
    return {}


@answers("service-quotas", "GetServiceQuota")
def quota(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Enough of everything, unless quotas.json beside the reservations says otherwise."""
    reservations = place.settings.reservations
    path = reservations.with_name("quotas.json") if reservations else None
    said = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}
    code = given["QuotaCode"]
    found = {"ServiceCode": given["ServiceCode"], "QuotaCode": code, "Value": float(said.get(code, _ENOUGH))}
    return {"Quota": found}


@answers("sts", "GetCallerIdentity")
def caller(place: Place, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - as all handlers
    """The one caller that the account knows: moto answers with an ARN that is no principal of IAM."""
    arn = place.settings.caller_arn
    return {"UserId": "AIDALABLABLABLABLABLA", "Account": place.settings.account, "Arn": arn}
