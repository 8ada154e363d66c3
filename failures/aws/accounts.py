"""Refusals by who asks, and by how much the account may have."""

from failures.aws.refusal import NODES, PREFLIGHT, Refusal

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
        "use credentials that may, or have the right added that the message names",
    ),
    # How much of it.
    Refusal(
        r"VcpuLimitExceeded|InstanceLimitExceeded",
        (f"{NODES}.nodes", f"{NODES}.instanceType"),
        "the account may not run as many vCPUs of this family on demand; for P instances the quota is "
        "L-417A185B, and 0 in a new account",
        PREFLIGHT,
    ),
    Refusal(
        r"MaxSpotInstanceCountExceeded",
        (f"{NODES}.nodes", f"{NODES}.purchase.kind"),
        "the account may not run as many vCPUs of this family on Spot; for P instances the quota is "
        "L-7212CCBC",
        PREFLIGHT,
    ),
    Refusal(
        r"VpcLimitExceeded",
        ("cluster.network.kind",),
        "the region has as many VPCs as the account may have (quota L-F678F1CE)",
        f"{PREFLIGHT}; or name a VPC that exists, with network.kind existing",
    ),
    Refusal(
        r"AddressLimitExceeded|NatGatewayLimitExceeded",
        ("cluster.network.natPerZone", "cluster.network.zones"),
        "each NAT gateway needs an elastic IP, and the account may have no more of one of them (quota of "
        "addresses: L-0263D0A3)",
        PREFLIGHT,
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
)

ANY_QUOTA = (
    Refusal(
        r"\w*LimitExceeded(Exception)?|ServiceQuotaExceededException",
        ("cluster.name",),
        "the account has as many of these as it may have",
        "delete what nobody needs, or ask for a higher quota",
    ),
)
"""For quotas that have no line of their own."""
