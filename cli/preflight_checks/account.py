"""Reads the account, and never writes to it."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

import botocore.exceptions
import botocore.session

from cli.errors import CommandError
from cli.preflight_checks.answers import Reservation


class Denied(Exception):  # noqa: N818 - an answer of its own: nobody knows
    """The credentials may not ask."""


class Account:
    """The account of the credentials that are in force, in one region.

    Raises:
        CommandError: there are no credentials, or AWS cannot be reached.
    """

    def __init__(self, region: str) -> None:
        self._region = region
        self._session = botocore.session.get_session()

    def id(self) -> str:
        """Twelve digits."""
        return str(self._ask("sts", "get_caller_identity")["Account"])

    def reservation(self, reservation_id: str) -> Reservation | None:
        """A capacity reservation or Capacity Block; None if there is none of that id."""
        try:
            answer = self._ask(
                "ec2", "describe_capacity_reservations", CapacityReservationIds=[reservation_id]
            )
        except botocore.exceptions.ClientError as error:
            if (
                "NotFound" in error.response["Error"]["Code"]
                or "Malformed" in error.response["Error"]["Code"]
            ):
                return None
            raise
        found = answer["CapacityReservations"]
        return _reservation(found[0]) if found else None

    def offered_in(self, instance_type: str) -> frozenset[str]:
        """Zones of the region, Local Zones included, in which the type can be launched."""
        answer = self._ask(
            "ec2",
            "describe_instance_type_offerings",
            LocationType="availability-zone",
            Filters=[{"Name": "instance-type", "Values": [instance_type]}],
        )
        return frozenset(item["Location"] for item in answer["InstanceTypeOfferings"])

    def zone_opted_in(self, zone: str) -> str:
        """EC2's word: opt-in-not-required, opted-in or not-opted-in; empty for a zone that is unknown."""
        answer = self._ask("ec2", "describe_availability_zones", AllAvailabilityZones=True)
        return next(
            (str(item["OptInStatus"]) for item in answer["AvailabilityZones"] if item["ZoneName"] == zone), ""
        )

    def quota(self, service: str, code: str) -> float:
        """The account's limit."""
        answer = self._ask("service-quotas", "get_service_quota", ServiceCode=service, QuotaCode=code)
        return float(answer["Quota"]["Value"])

    def _ask(self, service: str, operation: str, **parameters: object) -> Mapping[str, Any]:
        try:
            client = self._session.create_client(service, region_name=self._region)
            call: Callable[..., Mapping[str, Any]] = getattr(client, operation)
            return call(**parameters)
        except botocore.exceptions.NoCredentialsError as error:
            raise CommandError(
                "preflight asks the account, and there are no credentials: `aws sso login`, or AWS_PROFILE"
            ) from error
        except botocore.exceptions.ClientError as error:
            code = str(error.response["Error"]["Code"])
            if code in {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"}:
                raise Denied(f"{service}:{operation} is denied to these credentials") from error
            if code in {"ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId"}:
                raise CommandError(f"AWS refuses the credentials ({code}): `aws sso login` again") from error
            raise
        except botocore.exceptions.BotoCoreError as error:
            raise CommandError(f"AWS cannot be asked: {error}") from error


def _reservation(found: Mapping[str, Any]) -> Reservation:
    return Reservation(
        id=str(found["CapacityReservationId"]),
        state=str(found.get("State", "unknown")),
        instance_type=str(found.get("InstanceType", "")),
        zone=str(found.get("AvailabilityZone", "")),
        total=int(found.get("TotalInstanceCount", 0)),
        available=int(found.get("AvailableInstanceCount", 0)),
        starts=_time(found.get("StartDate")),
        ends=_time(found.get("EndDate")),
    )


def _time(value: object) -> dt.datetime | None:
    return value if isinstance(value, dt.datetime) else None
