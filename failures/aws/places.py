"""Refusals of the network, the cluster, its file system, and of names."""

from failures.aws.refusal import NODES, Refusal

_NETWORK = (
    "cluster.network.cidr",
    "cluster.network.zones",
    "cluster.network.vpcId",
    "cluster.network.subnets",
)

REFUSALS = (
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
        ("cluster.administrators",),
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
)
