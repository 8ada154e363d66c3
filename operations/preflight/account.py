"""The account of the credentials that are in force: read-only requests, and what a refusal means."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any

import botocore.exceptions
import botocore.session
from botocore.config import Config

from operations.errors import CommandError
from stacks.plan.infrastructure.eks_plan import STACK_TAG

# Without a network the defaults would try for several minutes.
_PATIENCE = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3})
_DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"}
_BAD_CREDENTIALS = {
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "RequestExpired",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}


class Unanswered(Exception):  # noqa: N818 - an answer of its own: nobody knows
    """AWS does not say; the text says why."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code
        """AWS's own word for the reason."""


@dataclass(frozen=True, slots=True)
class FoundReservation:
    """A capacity reservation or Capacity Block, as EC2 describes it."""

    id: str
    is_block: bool
    """A Capacity Block, which has a window of time."""
    state: str
    """EC2's word: scheduled, active, expired, cancelled, payment-pending …"""
    instance_type: str
    zone: str
    total: int
    available: int
    starts: dt.datetime | None
    ends: dt.datetime | None
    placement_group: str | None = None
    """The cluster placement group in which it was made."""


class Account:
    """The account of the credentials that are in force, in one region.

    Each method raises what `_ask` raises, and none writes.

    Args:
        region: of the control plane.
        assumed_role: ARN of the IAM role as which it is asked; None: the credentials themselves.

    """

    def __init__(self, region: str, assumed_role: str | None = None) -> None:
        self._region = region
        self._assumed_role = assumed_role
        self._session = botocore.session.get_session()
        self._clients: dict[str, Any] = {}
        self._time: dt.datetime | None = None
        """AWS's clock at the last answer."""

    def id(self) -> str:
        """Twelve digits."""
        return str(self._ask("sts", "get_caller_identity")["Account"])

    def now(self) -> dt.datetime:
        """The clock that opens and closes windows, as of AWS's last answer; else this machine's."""
        return self._time or dt.datetime.now(dt.UTC)

    def reservation(self, reservation_id: str) -> FoundReservation | None:
        """A capacity reservation or Capacity Block; None if there is none of that id."""
        ids = [reservation_id]
        try:
            answer = self._ask("ec2", "describe_capacity_reservations", CapacityReservationIds=ids)
        except Unanswered as error:
            if error.code.startswith("InvalidCapacityReservationId."):
                return None
            raise
        return next(map(_reservation, answer["CapacityReservations"]), None)

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

    def zone_ids(self) -> dict[str, str]:
        """Zone -> its id, such as use1-az6, which is the same zone in every account."""
        answer = self._ask("ec2", "describe_availability_zones")
        return {str(item["ZoneName"]): str(item["ZoneId"]) for item in answer["AvailabilityZones"]}

    def addon_builds(self, name: str, kubernetes: str) -> tuple[str, ...]:
        """Builds of an add-on for a Kubernetes version, newest first; none of an add-on that is unknown."""
        answer = self._ask("eks", "describe_addon_versions", addonName=name, kubernetesVersion=kubernetes)
        found = (each for addon in answer["addons"] for each in addon.get("addonVersions", []))
        return tuple(str(each["addonVersion"]) for each in found)

    def block_offerings(self, *, hours: int, **wanted: object) -> list[Mapping[str, Any]]:
        """Capacity Blocks of that length that are for sale; asking buys nothing."""
        answer = self._ask("ec2", "describe_capacity_block_offerings", CapacityDurationHours=hours, **wanted)
        return list(answer["CapacityBlockOfferings"])

    def quota(self, service: str, code: str) -> float:
        """The account's limit."""
        answer = self._ask("service-quotas", "get_service_quota", ServiceCode=service, QuotaCode=code)
        return float(answer["Quota"]["Value"])

    def addresses(self) -> Sequence[Mapping[str, Any]]:
        """Elastic IPs, as EC2 describes them."""
        return self._ask("ec2", "describe_addresses")["Addresses"]

    def networks(self) -> Sequence[Mapping[str, Any]]:
        """VPCs, as EC2 describes them."""
        return self._ask("ec2", "describe_vpcs")["Vpcs"]

    def vcpus(self, instance_type: str) -> int:
        """Those of one instance."""
        answer = self._ask("ec2", "describe_instance_types", InstanceTypes=[instance_type])
        return int(answer["InstanceTypes"][0]["VCpuInfo"]["DefaultVCpus"])

    def subnets(self, vpc_id: str) -> dict[str, tuple[str, int]]:
        """Id of a subnet of the VPC -> its zone, and the addresses in it that nobody has."""
        answer = self._ask("ec2", "describe_subnets", Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])
        return {
            str(each["SubnetId"]): (str(each["AvailabilityZone"]), int(each["AvailableIpAddressCount"]))
            for each in answer["Subnets"]
        }

    def ways_out(self, vpc_id: str) -> dict[str | None, str]:
        """Subnet -> what its default route leads to; None: all subnets without a table of their own."""
        answer = self._ask("ec2", "describe_route_tables", Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])
        return {
            None if of.get("Main") else of.get("SubnetId"): _default_route(table)
            for table in answer["RouteTables"]
            for of in table["Associations"]
            # That of a gateway is about what comes in.
            if of.get("Main") or of.get("SubnetId")
        }

    def has_dns(self, vpc_id: str, attribute: str) -> bool:
        """Whether enableDnsSupport or enableDnsHostnames is on."""
        answer = self._ask("ec2", "describe_vpc_attribute", VpcId=vpc_id, Attribute=attribute)
        return bool(answer[attribute[0].upper() + attribute[1:]]["Value"])

    def _ask(self, service: str, operation: str, **parameters: object) -> Mapping[str, Any]:
        """AWS's answer.

        Raises:
            Unanswered: the credentials may not ask this, or AWS knows no such thing.
            CommandError: there are no credentials, they are refused, or AWS cannot be reached.
        """
        try:
            if service not in self._clients:
                self._clients[service] = self._client(service, self._credentials)
            call: Callable[..., Mapping[str, Any]] = getattr(self._clients[service], operation)
            answer = call(**parameters)
        except (botocore.exceptions.NoCredentialsError, botocore.exceptions.PartialCredentialsError) as error:
            raise CommandError(
                "preflight asks the account, and there are no credentials: `aws sso login`, or AWS_PROFILE"
            ) from error
        except botocore.exceptions.ClientError as error:
            raise _error_of(service, operation, error) from error
        except botocore.exceptions.BotoCoreError as error:
            raise CommandError(f"AWS cannot be asked: {error}") from error
        # RFC 9110: always in GMT.
        sent = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
        self._time = parsedate_to_datetime(sent) if sent else self._time
        return answer

    def _client(self, service: str, of_role: Mapping[str, str] = MappingProxyType({})) -> Any:
        return self._session.create_client(
            service,
            region_name=self._region,
            config=_PATIENCE,
            aws_access_key_id=of_role.get("AccessKeyId"),
            aws_secret_access_key=of_role.get("SecretAccessKey"),
            aws_session_token=of_role.get("SessionToken"),
        )

    @cached_property
    def _credentials(self) -> Mapping[str, str]:
        """Return those of the assumed role; empty where there is none."""
        if self._assumed_role is None:
            return {}
        try:
            answer = self._client("sts").assume_role(
                RoleArn=self._assumed_role, RoleSessionName="dynamo-stack-preflight"
            )
        except botocore.exceptions.ClientError as error:
            raise CommandError(
                f"AWS does not let these credentials assume {self._assumed_role} (cluster.assumeRole): "
                f"{error.response['Error']['Message']}"
            ) from error
        return answer["Credentials"]


def is_of(stack: str, item: Mapping[str, Any]) -> bool:
    """Whether the stack has made what EC2 describes."""
    return {"Key": STACK_TAG, "Value": stack} in item.get("Tags", [])


def _error_of(service: str, operation: str, error: botocore.exceptions.ClientError) -> Exception:
    code = str(error.response["Error"]["Code"])
    if code in _BAD_CREDENTIALS:
        return CommandError(f"AWS refuses the credentials ({code}): `aws sso login` again, or AWS_PROFILE")
    name = f"{service}:{operation.title().replace('_', '')}"
    if code in _DENIED:
        return Unanswered(f"these credentials may not {name}", code)
    request = error.response.get("ResponseMetadata", {}).get("RequestId", "unknown")
    return Unanswered(f"{name} ends in {code} (request {request})", code)


def _default_route(table: Mapping[str, Any]) -> str:
    """Return the id of its target; empty: there is none, or the target is gone."""
    targets = (
        "NatGatewayId",
        "TransitGatewayId",
        "NetworkInterfaceId",
        "GatewayId",
        "VpcPeeringConnectionId",
        "CoreNetworkArn",
        "LocalGatewayId",
        "CarrierGatewayId",
    )
    for route in table["Routes"]:
        if route.get("DestinationCidrBlock") == "0.0.0.0/0" and route.get("State") != "blackhole":
            return next((str(route[target]) for target in targets if route.get(target)), "")
    return ""


def _reservation(found: Mapping[str, Any]) -> FoundReservation:
    return FoundReservation(
        id=str(found["CapacityReservationId"]),
        is_block=found.get("ReservationType") == "capacity-block",
        state=str(found.get("State", "unknown")),
        instance_type=str(found.get("InstanceType", "")),
        zone=str(found.get("AvailabilityZone", "")),
        total=int(found.get("TotalInstanceCount", 0)),
        available=int(found.get("AvailableInstanceCount", 0)),
        starts=found.get("StartDate"),
        ends=found.get("EndDate"),
        # arn:aws:ec2:region:account:placement-group/name
        placement_group=str(found.get("PlacementGroupArn") or "").rpartition("/")[2] or None,
    )
