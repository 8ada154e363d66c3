"""The forms that a text setting can be required to have, and how a person is told of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextForm:
    """One form of text."""

    pattern: str
    words: str
    example: str
    """A well-formed value; {} stands for what was typed."""


DNS_LABEL = TextForm(
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "small letters, digits and hyphens, as in Kubernetes names", "{}"
)
DNS_NAME = TextForm(
    r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
    "small letters, digits, hyphens and dots, as in Kubernetes names",
    "{}",
)
VERSION = TextForm(
    r"^[0-9]+\.[0-9]+\.[0-9]+$", 'a version of three numbers in quotes, as in "1.2.1"', "1.2.1"
)
VOLUME_SIZE = TextForm(r"^[1-9][0-9]{0,5}(Gi|Ti)$", "a size such as 100Gi or 2Ti", "{}Gi")
COMMIT_HASH = TextForm(r"^[0-9a-f]{40}$", "a commit of 40 hexadecimal digits, in quotes", "{}")
ISO_DATE = TextForm(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", 'a date in quotes, as in "2026-12-31"', "{}")
LABEL_KEY = TextForm(
    r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
    "a Kubernetes label key, such as example.com/pool",
    "{}",
)
LABEL_VALUE = TextForm(
    r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$",
    "a Kubernetes label value, in quotes if it is a number",
    "{}",
)
REGISTRY_HOST = TextForm(
    r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]+)?$", "a registry's host name, such as nvcr.io", "{}"
)
NATS_ADDRESS = TextForm(
    r"^nats://[^\s/:]+:[0-9]+$", "an address such as nats://nats.example.com:4222", "nats://{}:4222"
)
HTTP_ADDRESS = TextForm(
    r"^https?://[^\s/:]+:[0-9]+$", "an address such as http://etcd.example.com:2379", "http://{}:2379"
)
SERVER_ADDRESS = TextForm(
    r"^https://[^\s/]+$", "the address of an API server, such as https://10.0.0.1:6443", "https://{}"
)
S3_ADDRESS = TextForm(
    r"^s3://[a-z0-9][-a-z0-9.]+(/[^\s]*[^\s/])?$",
    "an address such as s3://bucket/models/gpt-oss-120b",
    "s3://{}",
)
ACCOUNT_ID = TextForm(r"^[0-9]{12}$", "an AWS account of 12 digits, in quotes", "{}")
REGION = TextForm(r"^[a-z]{2}(-[a-z]+)+-[0-9]$", "an AWS region such as us-east-1", "us-east-1")
ZONE_NAME = TextForm(
    r"^[a-z]{2}(-[a-z]+)+-[0-9](-[a-z]{3}-[0-9])?[a-z]$",
    "a zone's name such as us-east-1a, or us-east-1-dfw-2a for a Local Zone",
    "us-east-1a",
)
CLUSTER_NAME = TextForm(
    r"^[a-z]([-a-z0-9]{0,28}[a-z0-9])?$",
    "small letters, digits and hyphens, a letter first, 30 at most",
    "{}",
)
VPC_ID = TextForm(r"^vpc-[0-9a-f]{8,17}$", "the id of a VPC, such as vpc-0123456789abcdef0", "{}")
SUBNET_ID = TextForm(r"^subnet-[0-9a-f]{8,17}$", "the id of a subnet, such as subnet-0123456789abcdef0", "{}")
RESERVATION_ID = TextForm(
    r"^cr-[0-9a-f]{8,17}$", "the id of a capacity reservation, such as cr-0123456789abcdef0", "{}"
)
UTC_TIME = TextForm(
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
    'a time in UTC, in quotes, as in "2026-12-01T11:30:00Z"',
    "{}",
)
ARN = TextForm(
    r"^arn:aws:iam::[0-9]{12}:(role|user)/.+$",
    "an ARN such as arn:aws:iam::123456789012:role/platform",
    "arn:aws:iam::123456789012:role/{}",
)
CIDR = TextForm(
    r"^([0-9]{1,3}\.){3}[0-9]{1,3}/([0-9]|[12][0-9]|3[0-2])$", "addresses such as 10.0.0.0/16", "{}/32"
)

STACK_NAME = TextForm(
    r"^[A-Za-z0-9_.-]{1,100}$", "a stack of this project, without organization and project", "{}"
)

_ANY_TEXT = TextForm("", "text", "{}")
_FORMS = {
    form.pattern: form
    for form in (
        DNS_LABEL,
        DNS_NAME,
        VERSION,
        VOLUME_SIZE,
        COMMIT_HASH,
        ISO_DATE,
        LABEL_KEY,
        LABEL_VALUE,
        REGISTRY_HOST,
        NATS_ADDRESS,
        HTTP_ADDRESS,
        SERVER_ADDRESS,
        S3_ADDRESS,
        ACCOUNT_ID,
        REGION,
        ZONE_NAME,
        CLUSTER_NAME,
        VPC_ID,
        SUBNET_ID,
        RESERVATION_ID,
        UTC_TIME,
        ARN,
        CIDR,
        STACK_NAME,
    )
}


def form_of_pattern(pattern: str) -> TextForm:
    """Return the form with this pattern; any text where there is none."""
    return _FORMS.get(pattern, _ANY_TEXT)
