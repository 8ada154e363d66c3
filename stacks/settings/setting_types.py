"""The types of single settings, and how a person is told of the form that a text has to have."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints


@dataclass(frozen=True, kw_only=True)
class TextForm(StringConstraints):
    """What a text setting has to look like."""

    words: str
    meant: tuple[tuple[str, str], ...] = ()
    """Patterns of what is typed by mistake, and what was meant, with the pattern's groups."""

    def intention(self, typed: str) -> str | None:
        """Return what was meant by a text that has not this form; None where nobody can tell."""
        found = ((re.fullmatch(pattern, typed), words) for pattern, words in self.meant)
        return next((match.expand(words) for match, words in found if match), None)


def _form(
    pattern: str, words: str, *, max_length: int | None = None, meant: tuple[tuple[str, str], ...] = ()
) -> TextForm:
    return TextForm(pattern=pattern, words=words, max_length=max_length, meant=meant)


ANY_TEXT = TextForm(words="text")
_DNS_LABEL = _form(
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "small letters, digits and hyphens, as in Kubernetes names"
)

_SYSTEM_NAMESPACES = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})


def _refuse_system_namespace(value: str) -> str:
    if value in _SYSTEM_NAMESPACES:
        raise ValueError("every cluster has this namespace, and others put things into it: choose another")
    return value


def _read_by(read: Callable[[str], object], message: str) -> AfterValidator:
    def refuse_impossible(value: str) -> str:
        try:
            read(value)
        except ValueError:
            raise ValueError(message) from None
        return value

    return AfterValidator(refuse_impossible)


Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1, le=10_000)]
Seconds = Annotated[int, Field(ge=1, le=24 * 3600)]

Name = Annotated[str, replace(_DNS_LABEL, max_length=63)]
NamespaceName = Annotated[Name, AfterValidator(_refuse_system_namespace)]
GraphName = Annotated[str, replace(_DNS_LABEL, max_length=32)]
"""Short: the operator appends the component's name and a hash, and a Service's name ends at 63."""
StorageClassName = Annotated[
    str,
    _form(
        r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
        "small letters, digits, hyphens and dots, as in Kubernetes names",
        max_length=253,
    ),
]
Version = Annotated[
    str, _form(r"^[0-9]+\.[0-9]+\.[0-9]+$", 'a version of three numbers in quotes, as in "1.2.1"')
]
ImageTag = Annotated[
    str,
    _form(
        r"^[0-9]+\.[0-9]+\.[0-9]+[A-Za-z0-9._-]*$",
        'a tag that begins with a version, in quotes, as in "1.2.1"',
        max_length=128,
    ),
]
VariableName = Annotated[
    str, _form(r"^[A-Za-z_][A-Za-z0-9_]*$", "a variable's name: letters, digits and underscores")
]
VolumeSize = Annotated[
    str,
    _form(
        r"^[1-9][0-9]{0,5}(Gi|Ti)$",
        "a size such as 100Gi or 2Ti",
        meant=(
            (r"([1-9][0-9]{0,5}) ?[Gg][Ii]?[Bb]?", r"\1Gi"),
            (r"([1-9][0-9]{0,5}) ?[Tt][Ii]?[Bb]?", r"\1Ti"),
        ),
    ),
]
CommitHash = Annotated[str, _form(r"^[0-9a-f]{40}$", "a commit of 40 hexadecimal digits, in quotes")]
IsoDate = Annotated[
    str,
    _form(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", 'a date in quotes, as in "2026-12-31"'),
    _read_by(date.fromisoformat, "the calendar has no such day"),
]
UtcTime = Annotated[
    str,
    _form(
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
        'a time in UTC, in quotes, as in "2027-12-01T11:30:00Z"',
    ),
    _read_by(datetime.fromisoformat, "neither calendar nor clock has such a time"),
]
LabelKey = Annotated[
    str,
    _form(
        r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
        "a Kubernetes label key, such as example.com/pool",
    ),
]
LabelValue = Annotated[
    str,
    _form(
        r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$",
        "a Kubernetes label value, in quotes if it is a number",
        max_length=63,
    ),
]
RegistryHost = Annotated[
    str, _form(r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]+)?$", "a registry's host name, such as nvcr.io")
]
Mirror = Annotated[
    str,
    _form(
        r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]+)?(/[a-z0-9._-]+)*$",
        "a registry with a path, without https://, such as registry.example.com/nvcr",
        meant=((r"https?://([^/]+(?:/[^/]+)*)/*", r"\1"),),
    ),
]
NatsAddress = Annotated[
    str,
    _form(r"^nats://[^\s/:]+:[0-9]+$", "an address such as nats://nats.example.com:4222"),
]
HttpAddress = Annotated[
    str,
    _form(r"^https?://[^\s/:]+:[0-9]+$", "an address such as http://etcd.example.com:2379"),
]
ServerAddress = Annotated[
    str,
    _form(r"^https://[^\s/]+$", "the address of an API server, such as https://10.0.0.1:6443"),
]
S3Address = Annotated[
    str,
    _form(
        r"^s3://[a-z0-9][-a-z0-9.]+(/[^\s]*[^\s/])?$",
        "an address such as s3://bucket/models/gpt-oss-120b",
    ),
]
AccountId = Annotated[str, _form(r"^[0-9]{12}$", "an AWS account of 12 digits, in quotes")]
Region = Annotated[
    str,
    _form(
        r"^[a-z]{2}(-[a-z]+)+-[0-9]$",
        "an AWS region such as us-east-1",
        meant=((r"([a-z]{2}(-[a-z]+)+-[0-9])(-[a-z]{3}-[0-9])?[a-z]", r"\1, the region of that zone"),),
    ),
]
ZoneName = Annotated[
    str,
    _form(
        r"^[a-z]{2}(-[a-z]+)+-[0-9](-[a-z]{3}-[0-9])?[a-z]$",
        "a zone's name such as us-east-1a, or us-east-1-dfw-2a for a Local Zone",
        meant=(
            (r"([a-z]{2}(-[a-z]+)+-[0-9](-[a-z]{3}-[0-9])?)", r"\1a, a zone of it"),
            (
                r"[a-z]{3,4}[0-9](-[a-z]{3}[0-9])?-az[0-9]",
                "the name that your account has for this id: `aws ec2 describe-availability-zones`",
            ),
        ),
    ),
]
ClusterName = Annotated[
    str,
    _form(
        r"^[a-z]([-a-z0-9]{0,28}[a-z0-9])?$", "small letters, digits and hyphens, a letter first, 30 at most"
    ),
]
"""Short: names of roles and node groups begin with it and end at 63."""
VpcId = Annotated[str, _form(r"^vpc-[0-9a-f]{8,17}$", "the id of a VPC, such as vpc-0123456789abcdef0")]
SubnetId = Annotated[
    str, _form(r"^subnet-[0-9a-f]{8,17}$", "the id of a subnet, such as subnet-0123456789abcdef0")
]
AmiRelease = Annotated[
    str,
    _form(
        r"^1\.[0-9]{2}\.[0-9]{1,2}-[0-9]{8}$",
        'a release of EKS\' images, in quotes, such as "1.35.2-20261101"',
    ),
]
ReservationId = Annotated[
    str,
    _form(
        r"^cr-[0-9a-f]{8,17}$",
        "the id of a capacity reservation, such as cr-0123456789abcdef0",
        # docs.aws.amazon.com/cli/latest/reference/ec2/purchase-capacity-block.html
        meant=((r"cb-.*", "that is the offering, the purchase printed cr-…"),),
    ),
]
Arn = Annotated[
    str,
    _form(
        r"^arn:aws:iam::[0-9]{12}:(role|user)/.+$",
        "an ARN such as arn:aws:iam::123456789012:role/platform",
    ),
]
BoundaryArn = Annotated[
    str,
    _form(
        r"^arn:aws:iam::([0-9]{12}|aws):policy/[A-Za-z0-9+=,.@_/-]+$",
        "the ARN of an IAM policy, such as arn:aws:iam::123456789012:policy/boundary",
    ),
]
RolePath = Annotated[
    str,
    # Of a role's name: IAM takes more in a path, among it the asterisk, which would be a wildcard in every
    # policy that names the role (https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html).
    _form(
        r"^/([A-Za-z0-9+=,.@_-]+/)*$",
        "a path such as /team/: letters, digits and +=,.@_-, with a slash at both ends",
        max_length=512,
        meant=((r"/?([A-Za-z0-9+=,.@_/-]*[A-Za-z0-9+=,.@_-])", r"/\1/"),),
    ),
]
Cidr = Annotated[
    str,
    _form(r"^([0-9]{1,3}\.){3}[0-9]{1,3}/([0-9]|[12][0-9]|3[0-2])$", "addresses such as 10.0.0.0/16"),
]
StackName = Annotated[
    str, _form(r"^[A-Za-z0-9_.-]{1,100}$", "a stack of this project, without organization and project")
]
