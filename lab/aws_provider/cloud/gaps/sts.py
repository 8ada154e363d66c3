"""Who asks: moto answers with an ARN that is no principal of IAM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place


@answers("sts", "GetCallerIdentity")
def caller(place: Place, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - as all handlers
    """The one caller that the account knows."""
    arn = place.settings.caller_arn
    return {"UserId": "AIDALABLABLABLABLABLA", "Account": place.account, "Arn": arn}
