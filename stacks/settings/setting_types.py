"""The types of single settings."""

import re
from datetime import date, datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from stacks.settings.text_forms import (
    ACCOUNT_ID,
    ARN,
    CIDR,
    CLUSTER_NAME,
    COMMIT_HASH,
    DNS_LABEL,
    DNS_NAME,
    HTTP_ADDRESS,
    ISO_DATE,
    LABEL_KEY,
    LABEL_VALUE,
    NATS_ADDRESS,
    REGION,
    REGISTRY_HOST,
    RESERVATION_ID,
    S3_ADDRESS,
    SERVER_ADDRESS,
    STACK_NAME,
    SUBNET_ID,
    UTC_TIME,
    VERSION,
    VOLUME_SIZE,
    VPC_ID,
    ZONE_NAME,
)

# How the engine hands on a date that was not quoted: Go's text form of a timestamp.
UNQUOTED_DATE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4} \S+$")


def _refuse_unquoted_date(value: str) -> str:
    if UNQUOTED_DATE.match(value):
        raise ValueError("a date or time without quotes")
    return value


_SYSTEM_NAMESPACES = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})


def _refuse_system_namespace(value: str) -> str:
    if value in _SYSTEM_NAMESPACES:
        raise ValueError("every cluster has this namespace, and others put things into it: choose another")
    return value


def _refuse_impossible_date(value: str) -> str:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise ValueError("the calendar has no such day") from None
    return value


def _refuse_impossible_time(value: str) -> str:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise ValueError("neither calendar nor clock has such a time") from None
    return value


Text = Annotated[str, Field(min_length=1), AfterValidator(_refuse_unquoted_date)]
Name = Annotated[str, Field(max_length=63, pattern=DNS_LABEL.pattern)]
NamespaceName = Annotated[Name, AfterValidator(_refuse_system_namespace)]
GraphName = Annotated[str, Field(max_length=32, pattern=DNS_LABEL.pattern)]
"""Short: the operator appends the component's name and a hash, and a Service's name ends at 63."""
StorageClassName = Annotated[str, Field(max_length=253, pattern=DNS_NAME.pattern)]
Version = Annotated[str, Field(pattern=VERSION.pattern)]
VolumeSize = Annotated[str, Field(pattern=VOLUME_SIZE.pattern)]
CommitHash = Annotated[str, Field(pattern=COMMIT_HASH.pattern)]
IsoDate = Annotated[str, Field(pattern=ISO_DATE.pattern), AfterValidator(_refuse_impossible_date)]
LabelKey = Annotated[str, Field(pattern=LABEL_KEY.pattern)]
LabelValue = Annotated[str, Field(max_length=63, pattern=LABEL_VALUE.pattern)]
RegistryHost = Annotated[str, Field(pattern=REGISTRY_HOST.pattern)]
NatsAddress = Annotated[str, Field(pattern=NATS_ADDRESS.pattern)]
HttpAddress = Annotated[str, Field(pattern=HTTP_ADDRESS.pattern)]
ServerAddress = Annotated[str, Field(pattern=SERVER_ADDRESS.pattern)]
S3Address = Annotated[str, Field(pattern=S3_ADDRESS.pattern)]
Count = Annotated[int, Field(ge=1, le=10_000)]
Seconds = Annotated[int, Field(ge=1, le=24 * 3600)]
AccountId = Annotated[str, Field(pattern=ACCOUNT_ID.pattern)]
Region = Annotated[str, Field(pattern=REGION.pattern)]
ZoneName = Annotated[str, Field(pattern=ZONE_NAME.pattern)]
ClusterName = Annotated[str, Field(pattern=CLUSTER_NAME.pattern)]
"""Short: names of roles and node groups begin with it and end at 63."""
VpcId = Annotated[str, Field(pattern=VPC_ID.pattern)]
SubnetId = Annotated[str, Field(pattern=SUBNET_ID.pattern)]
ReservationId = Annotated[str, Field(pattern=RESERVATION_ID.pattern)]
UtcTime = Annotated[str, Field(pattern=UTC_TIME.pattern), AfterValidator(_refuse_impossible_time)]
Arn = Annotated[str, Field(pattern=ARN.pattern)]
Cidr = Annotated[str, Field(pattern=CIDR.pattern)]
StackName = Annotated[str, Field(pattern=STACK_NAME.pattern)]
