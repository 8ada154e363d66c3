"""Service quotas: enough of everything, unless quotas.json beside the reservations says otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_ENOUGH = 100000.0


@answers("service-quotas", "GetServiceQuota")
def get(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The account's value of a quota."""
    return {"Quota": _quota(place, given)}


@answers("service-quotas", "GetAWSDefaultServiceQuota")
def get_default(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The same: nobody asks for more here."""
    return {"Quota": _quota(place, given)}


def _quota(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    service, code = given["ServiceCode"], given["QuotaCode"]
    reservations = place.settings.reservations
    path = reservations.with_name("quotas.json") if reservations else None
    said = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}
    return {
        "ServiceCode": service,
        "QuotaArn": place.arn("servicequotas", f"{service}/{code}"),
        "QuotaCode": code,
        "QuotaName": code,
        "Value": float(said.get(code, _ENOUGH)),
        "Unit": "None",
        "Adjustable": True,
        "GlobalQuota": False,
    }
