"""Which setting makes AWS refuse what, and what to type then.

Codes: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html for EC2; for EKS, EFS, FSx
and IAM the errors of their service models, and NodegroupIssueCode of EKS for what comes to light later.
"""

import re
from dataclasses import dataclass

from failures.aws.answer import FAILED_LATER, TIMED_OUT, AwsError

NODES = "{nodes}"
"""Stands for the key of the nodes that the resource belongs to, such as nodePools[0]."""
_PREFLIGHT = "`dynamo-stack preflight STACK` says what is missing and what to type"
_NODES_PAGE = "gpu-nodes-not-joining"
_PURCHASE = (f"{NODES}.purchase.id", f"{NODES}.purchase.kind")
_WHERE = (f"{NODES}.zone", f"{NODES}.instanceType")
_NETWORK = (
    "cluster.network.cidr",
    "cluster.network.zones",
    "cluster.network.vpcId",
    "cluster.network.subnets",
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line of the table."""

    codes: str
    """A regular expression for all of the code."""
    settings: tuple[str, ...]
    """Keys in the stack's file that can cause it; empty: it is not in the file."""
    means: str
    do: str
    operations: str = ""
    """A regular expression for all of the operation; empty: any."""
    says: str = ""
    """A regular expression that the message must hold; empty: any."""
    page: str = "aws-refused"

    def fits(self, error: AwsError) -> bool:
        """Whether the line is about this error."""
        return (
            re.fullmatch(self.codes, error.code) is not None
            and (not self.operations or re.fullmatch(self.operations, error.operation) is not None)
            and re.search(self.says, error.message, re.IGNORECASE) is not None
        )


REFUSALS = (
    # Nobody's fault.
    Refusal(
        r"Throttling(Exception)?|RequestLimitExceeded|TooManyRequests(Exception)?|Server(Exception|Internal)"
        r"|Internal(Error|Failure|ServerError|ServerException)|ServiceUnavailable(Exception)?|Unavailable"
        r"|ResourcePropagationDelayException|ServiceFailure|RetryableError|ResourceContention",
        (),
        "AWS had no time for it, or not yet; nothing is wrong with the settings",
        "wait a minute",
    ),
    # Who asks.
    Refusal(
        r"ExpiredToken(Exception)?|RequestExpired|InvalidClientTokenId|UnrecognizedClientException|AuthFailure"
        r"|SignatureDoesNotMatch|InvalidSignatureException",
        (),
        "the credentials have expired, or AWS does not know them",
        "log in again (`aws sts get-caller-identity` shows who you are)",
    ),
    Refusal(
        r"UnauthorizedOperation|AccessDenied(Exception)?|AuthorizationError|DeclarativePoliciesAccessDeniedException",
        ("cluster.accountId",),
        "whoever runs this may not do it in this account",
        "use credentials that may, or have the right added that the message names; `dynamo-stack preflight "
        "STACK --policy deployer` prints all of them",
    ),
    # How much of it.
    Refusal(
        r"VcpuLimitExceeded|InstanceLimitExceeded",
        (f"{NODES}.nodes", f"{NODES}.instanceType"),
        "the account may not run as many vCPUs of this family on demand; for P instances the quota is "
        "L-417A185B, and 0 in a new account",
        _PREFLIGHT,
    ),
    Refusal(
        r"MaxSpotInstanceCountExceeded",
        (f"{NODES}.nodes", f"{NODES}.purchase.kind"),
        "the account may not run as many vCPUs of this family on Spot; for P instances the quota is "
        "L-7212CCBC",
        _PREFLIGHT,
    ),
    Refusal(
        r"VpcLimitExceeded",
        ("cluster.network.kind",),
        "the region has as many VPCs as the account may have (quota L-F678F1CE)",
        f"{_PREFLIGHT}; or name a VPC that exists, with network.kind existing",
    ),
    Refusal(
        r"AddressLimitExceeded|NatGatewayLimitExceeded",
        ("cluster.network.natPerZone", "cluster.network.zones"),
        "each NAT gateway needs an elastic IP, and the account may have no more of one of them (quota of "
        "addresses: L-0263D0A3)",
        _PREFLIGHT,
    ),
    Refusal(
        r"(Subnet|InternetGateway|RouteTable|Route|VpcEndpoint|NetworkInterface|FlowLogs|SecurityGroup"
        r"|RulesPerSecurityGroup|SecurityGroupsPerInterface)LimitExceeded|ResourceCountLimitExceeded",
        ("cluster.network.zones", "cluster.network.vpcId"),
        "the VPC or the region has as many of these as the account may have",
        "`aws service-quotas list-service-quotas --service-code vpc` lists what may be raised",
    ),
    Refusal(
        r"ServiceLimitExceeded|FileSystemLimitExceeded|ThroughputLimitExceeded|InsufficientThroughputCapacity",
        ("modelCache.size", "modelCache.storage.throughput"),
        "the account may not have another file system of this size or throughput",
        "ask for more (`aws service-quotas list-service-quotas --service-code fsx`), or type less",
    ),
    # Is there capacity?
    Refusal(
        r"InvalidCapacityReservationState\.PendingActivation",
        (f"{NODES}.purchase.phase", f"{NODES}.purchase.starts"),
        "the Capacity Block's window has not opened yet",
        "type `phase: waiting` until then, or wait for the window",
    ),
    Refusal(
        r"ReservationCapacityExceeded",
        (f"{NODES}.purchase.id", f"{NODES}.nodes", f"{NODES}.purchase.phase"),
        "the reservation has no room for these nodes: others use it, it is smaller, or it is not active",
        _PREFLIGHT,
    ),
    Refusal(
        r"InvalidCapacityReservation(Id)?(\.\w+)?|InvalidCapacityReservationState(\.\w+)?",
        _PURCHASE,
        "no usable reservation of this id in this account and region",
        "`aws ec2 describe-capacity-reservations` has the ids; preflight compares",
    ),
    Refusal(
        r"InsufficientInstanceCapacity|UnfulfillableCapacity|InsufficientCapacity",
        (f"{NODES}.purchase.kind", f"{NODES}.purchase.id", f"{NODES}.zone"),
        "AWS has no such machines free in this zone now",
        "wait and run it again, or buy a Capacity Block or a reservation, with its id in purchase.id",
    ),
    Refusal(
        r"UnsupportedOperation",
        (f"{NODES}.purchase.kind", f"{NODES}.instanceType"),
        "this instance type is not sold this way",
        _PREFLIGHT,
        operations=r"CreateLaunchTemplate.*|CreateNodegroup|" + FAILED_LATER,
    ),
    Refusal(
        r"Unsupported|InvalidAvailabilityZone|InvalidZone\.NotFound|Ec2InstanceTypeDoesNotExist",
        _WHERE,
        "the zone does not have this instance type, or the account does not see the zone",
        _PREFLIGHT,
    ),
    Refusal(
        r"Invalid\w+",
        (*_WHERE, f"{NODES}.purchase.id"),
        "the zone does not have this instance type; for a Capacity Block only the block's zone has it",
        _PREFLIGHT,
        says="instance types do not exist|not supported in your requested Availability Zone",
    ),
    Refusal(
        r"InvalidParameter\w*|InvalidRequestException",
        (f"{NODES}.purchase.id", f"{NODES}.zone", f"{NODES}.instanceType"),
        "the reservation is for another instance type, another zone or another way of buying",
        _PREFLIGHT,
        says="capacity reservation|capacity.block",
    ),
    # Nodes that are there, and of no use.
    Refusal(
        r"NodeCreationFailure|ClusterUnreachable|" + TIMED_OUT,
        ("cluster.network.subnets", f"{NODES}.zone"),
        "the machines run, and did not join the cluster in time",
        "look at what they say, as the page shows",
        page=_NODES_PAGE,
        operations=FAILED_LATER,
    ),
    Refusal(
        r"InsufficientFreeAddresses\w*|NoFreeAddressesInSubnet|PrivateIpAddressLimitExceeded",
        ("cluster.network.cidr", "cluster.network.subnets"),
        "the subnet has no free addresses: every pod takes one",
        "a VPC's range cannot grow: name larger subnets, or make the stack anew with a larger range",
    ),
    Refusal(
        r"Ec2Subnet\w+|InvalidSubnet(ID|Id)?\.NotFound|InvalidVpcI[Dd]\.NotFound|SubnetNotFound",
        ("cluster.network.subnets", "cluster.network.vpcId"),
        "there is no such subnet or VPC in this account and region, or nodes cannot use it",
        "`aws ec2 describe-subnets` has the ids",
    ),
    Refusal(
        r"AsgInstanceLaunchFailures|AutoScalingGroup\w+|Ec2LaunchTemplate\w+",
        (f"{NODES}.instanceType", f"{NODES}.zone", f"{NODES}.purchase.kind"),
        "no machine could be launched as this group asks for it",
        _PREFLIGHT,
        page=_NODES_PAGE,
    ),
    # The network and the cluster.
    Refusal(
        r"InvalidVpc\.?Range|InvalidSubnet\.(Conflict|Range)|InvalidCidr\S*",
        ("cluster.network.cidr",),
        "these addresses cannot be the VPC's or a subnet's",
        "type another private range of /16 to /20",
    ),
    Refusal(
        r"InvalidParameterException",
        ("cluster.publicCidrs",),
        "a range that may reach the API server from outside must be a public one",
        "type the addresses by which you reach the internet; 10.…, 172.16.… and 192.168.… are not",
        says="publicAccessCidrs|CIDR",
    ),
    Refusal(
        r"InvalidParameterException|InvalidRequestException",
        ("cluster.version",),
        "EKS does not offer this version, or not from the one that runs",
        "versions go up one at a time",
        says="version",
    ),
    Refusal(
        r"InvalidParameterException",
        ("cluster.administrators", "cluster.access"),
        "EKS knows no such role or user",
        "`aws iam list-roles` has the ARNs",
        operations="CreateAccessEntry|AssociateAccessPolicy",
    ),
    Refusal(
        r"UnsupportedAvailabilityZone(Exception)?",
        ("cluster.network.zones", "cluster.network.subnets"),
        "this zone takes no control plane, or no file system",
        "name another zone of the region",
    ),
    Refusal(
        r"InvalidParameterException",
        _NETWORK,
        "EKS cannot use these subnets",
        "the control plane needs two zones of the region, all subnets one VPC",
        says="subnet|VPC|security group",
    ),
    # The cache.
    Refusal(
        r"InvalidPerUnitStorageThroughput|BadRequest|IncompatibleParameterError|MissingFileSystemConfiguration",
        ("modelCache.size", "modelCache.storage.throughput"),
        "FSx sells file systems of 1200 GiB, 2400 GiB and multiples of it",
        "type such a size",
        operations="(Create|Update)FileSystem",
    ),
    Refusal(
        r"InvalidNetworkSettings|MountTargetConflict|SecurityGroupNotFound",
        ("modelCache.storage.kind", f"{NODES}.zone", "cluster.network.subnets"),
        "the file system cannot be reached in this subnet",
        "one mount target a zone; ports 988 and 1018 to 1023 for Lustre, 2049 for EFS",
    ),
    # Names, tags, leftovers.
    Refusal(
        r"ResourceInUseException|ResourceAlreadyExistsException|EntityAlreadyExists|AlreadyExists(Exception)?"
        r"|FileSystemAlreadyExists|\w*AlreadyExists\w*|\w+\.(Duplicate|AlreadyExistsException)",
        ("cluster.name",),
        "something of this name is in the account, and not in this stack's state",
        "of an interrupted run: `dynamo-stack recover STACK`; of somebody else: type another name",
        operations="(Create|Allocate|Put|Run|Register|Associate).*",
    ),
    Refusal(
        r"DependencyViolation|DeleteConflict|ResourceInUse(Exception)?|\w+InUse",
        (),
        "something in the account still uses it",
        "the page says how to find what, and which of it may go",
        page="destroy-hangs",
    ),
    Refusal(
        r"InvalidTag\w*|TagException|TagPolicyViolationException|TagLimitExceeded|TooManyTagsException",
        ("cluster.tags",),
        "the account does not take one of these tags",
        "50 tags at most; keys that begin with aws: are AWS's own",
    ),
    # Quotas that have no line of their own.
    Refusal(
        r"\w*LimitExceeded(Exception)?|ServiceQuotaExceededException",
        ("cluster.name",),
        "the account has as many of these as it may have",
        "delete what nobody needs, or ask for a higher quota",
    ),
)


def refusal_of(error: AwsError) -> Refusal | None:
    """Return the first line that fits; None for what the table does not know."""
    return next((line for line in REFUSALS if line.fits(error)), None)
