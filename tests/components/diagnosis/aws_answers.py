"""What AWS answers, in the words of pulumi-aws 7.51 (terraform-provider-aws over aws-sdk-go-v2)."""

from __future__ import annotations

from dataclasses import dataclass

REQUEST = "9c9275bd-8f22-4ecc-be7e-2abd15448204"
GROUP = ("aws:eks/nodeGroup:NodeGroup", "b200-nodes")
TEMPLATE = ("aws:ec2/launchTemplate:LaunchTemplate", "b200-nodes-template")
CLUSTER = ("aws:eks/cluster:Cluster", "eks")
VPC = ("aws:ec2/vpc:Vpc", "network-vpc")
SUBNET = ("aws:ec2/subnet:Subnet", "network-private-us-east-1a")
ADDRESS = ("aws:ec2/eip:Eip", "network-nat-us-east-1a")
ROLE = ("aws:iam/role:Role", "node-role")
LUSTRE = ("aws:fsx/lustreFileSystem:LustreFileSystem", "cache-storage-file-system")
TARGET = ("aws:efs/mountTarget:MountTarget", "cache-storage-us-east-1a")
ENTRY = ("aws:eks/accessEntry:AccessEntry", "eks-administrator-0")
NODES = "nodePools[0]"


@dataclass(frozen=True)
class Answer:
    """An answer, and what a person must read of it."""

    resource: tuple[str, str]
    service: str
    """As the SDK writes it; empty: what AWS had accepted failed later."""
    operation: str
    code: str
    message: str
    settings: tuple[str, ...]
    """Keys that the message names, of those that are typed."""
    page: str = "aws-refused"

    @property
    def text(self) -> str:
        """What the provider prints."""
        if not self.service:
            return (
                "1 error occurred:\n\t* waiting for EKS Node Group (gpt-oss:gpt-oss-b200) create: unexpected "
                f"state 'CREATE_FAILED', wanted target 'ACTIVE'. last error: eks-gpt-oss-b200-1ac9: "
                f"{self.code}: {self.message}\n\n"
            )
        named = "api error " if self.service in {"EC2", "STS"} else ""
        return (
            f"1 error occurred:\n\t* creating something: operation error {self.service}: {self.operation}, "
            f"https response error StatusCode: 400, RequestID: {REQUEST}, {named}{self.code}: "
            f"{self.message}\n\n"
        )


def _launch(inner: str, message: str, *settings: str) -> Answer:
    said = f"Could not launch On-Demand Instances. {inner} - {message} Launching EC2 instance failed."
    return Answer(GROUP, "", "", "AsgInstanceLaunchFailures", said, settings)


ANSWERS = (
    Answer(CLUSTER, "EKS", "CreateCluster", "ThrottlingException", "Rate exceeded", ()),
    Answer(VPC, "EC2", "CreateVpc", "RequestLimitExceeded", "Request limit exceeded.", ()),
    Answer(
        VPC, "EC2", "CreateVpc", "ExpiredToken", "The security token included in the request is expired", ()
    ),
    Answer(VPC, "EC2", "CreateVpc", "AuthFailure", "AWS was not able to validate the access credentials", ()),
    Answer(
        VPC,
        "EC2",
        "CreateVpc",
        "UnauthorizedOperation",
        "You are not authorized to perform this operation. User: arn:aws:iam::123456789012:user/me is not "
        "authorized to perform: ec2:CreateVpc. Encoded authorization failure message: " + "kD9f" * 300,
        ("cluster.accountId",),
    ),
    Answer(
        CLUSTER,
        "EKS",
        "CreateCluster",
        "AccessDeniedException",
        "User: arn:aws:iam::123456789012:user/me is not authorized to perform: eks:CreateCluster",
        ("cluster.accountId",),
    ),
    _launch(
        "VcpuLimitExceeded",
        "You have requested more vCPU capacity than your current vCPU limit of 0 allows for the instance "
        "bucket that the specified instance type belongs to.",
        f"{NODES}.nodes",
        f"{NODES}.instanceType",
    ),
    _launch(
        "MaxSpotInstanceCountExceeded",
        "Max spot instance count exceeded",
        f"{NODES}.nodes",
        f"{NODES}.purchase.kind",
    ),
    Answer(
        VPC,
        "EC2",
        "CreateVpc",
        "VpcLimitExceeded",
        "The maximum number of VPCs has been reached.",
        ("cluster.network.kind",),
    ),
    Answer(
        ADDRESS,
        "EC2",
        "AllocateAddress",
        "AddressLimitExceeded",
        "The maximum number of addresses has been reached.",
        ("cluster.network.zones",),
    ),
    Answer(
        SUBNET,
        "EC2",
        "CreateSubnet",
        "SubnetLimitExceeded",
        "The maximum number of subnets has been reached.",
        ("cluster.network.zones",),
    ),
    Answer(
        LUSTRE,
        "FSx",
        "CreateFileSystem",
        "ServiceLimitExceeded",
        "You have exceeded your storage capacity limit",
        ("modelCache.size", "modelCache.storage.throughput"),
    ),
    Answer(
        ROLE,
        "IAM",
        "CreateRole",
        "LimitExceeded",
        "Cannot exceed quota for RolesPerAccount: 1000",
        ("cluster.name",),
    ),
    _launch(
        "InvalidCapacityReservationState.PendingActivation",
        "Your Capacity Block is not active yet.",
        f"{NODES}.purchase.phase",
        f"{NODES}.purchase.starts",
    ),
    _launch(
        "ReservationCapacityExceeded",
        "The targeted Capacity Reservation does not have enough available instance capacity.",
        f"{NODES}.purchase.id",
        f"{NODES}.nodes",
        f"{NODES}.purchase.phase",
    ),
    Answer(
        TEMPLATE,
        "EC2",
        "CreateLaunchTemplate",
        "InvalidCapacityReservationId.NotFound",
        "The capacity reservation 'cr-0123456789abcdef0' does not exist.",
        (f"{NODES}.purchase.id", f"{NODES}.purchase.kind"),
    ),
    _launch(
        "InsufficientInstanceCapacity",
        "We currently do not have sufficient p6-b200.48xlarge capacity in the zone you requested.",
        f"{NODES}.purchase.kind",
        f"{NODES}.purchase.id",
        f"{NODES}.zone",
    ),
    Answer(
        TEMPLATE,
        "EC2",
        "CreateLaunchTemplate",
        "UnsupportedOperation",
        "The instance type does not support the 'spot' purchasing option.",
        (f"{NODES}.purchase.kind", f"{NODES}.instanceType"),
    ),
    _launch(
        "Unsupported",
        "Your requested instance type is not supported in your requested zone.",
        f"{NODES}.zone",
        f"{NODES}.instanceType",
    ),
    Answer(
        GROUP,
        "EKS",
        "CreateNodegroup",
        "InvalidParameterException",
        "The following supplied instance types do not exist: [p6-b200.48xlarge]",
        (f"{NODES}.zone", f"{NODES}.instanceType", f"{NODES}.purchase.id"),
    ),
    Answer(
        GROUP,
        "EKS",
        "CreateNodegroup",
        "InvalidRequestException",
        "You've specified a Capacity Block of another instance type.",
        (f"{NODES}.purchase.id", f"{NODES}.zone", f"{NODES}.instanceType"),
    ),
    Answer(
        GROUP,
        "",
        "",
        "NodeCreationFailure",
        "Instances failed to join the kubernetes cluster",
        (f"{NODES}.zone",),
        page="gpu-nodes-not-joining",
    ),
    Answer(
        GROUP,
        "",
        "",
        "InsufficientFreeAddresses",
        "Amazon Autoscaling was unable to launch instances because there are not enough free addresses in "
        "the subnet associated with your AutoScaling group(s).",
        ("cluster.network.cidr",),
    ),
    Answer(
        SUBNET,
        "EC2",
        "CreateSubnet",
        "InvalidVpcID.NotFound",
        "The vpc ID 'vpc-1' does not exist",
        ("cluster.network.subnets",),
    ),
    Answer(
        GROUP,
        "",
        "",
        "AsgInstanceLaunchFailures",
        "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: "
        "Client.InvalidKMSKey.InvalidState: The KMS key provided is in an incorrect state",
        (f"{NODES}.instanceType", f"{NODES}.zone", f"{NODES}.purchase.kind"),
        page="gpu-nodes-not-joining",
    ),
    Answer(
        VPC,
        "EC2",
        "CreateVpc",
        "InvalidVpc.Range",
        "The CIDR '10.0.0.0/12' is invalid.",
        ("cluster.network.cidr",),
    ),
    Answer(
        CLUSTER,
        "EKS",
        "CreateCluster",
        "InvalidParameterException",
        "The following CIDRs are not allowed in publicAccessCidrs: [10.0.0.0/8]",
        ("cluster.publicCidrs",),
    ),
    Answer(
        CLUSTER,
        "EKS",
        "UpdateClusterVersion",
        "InvalidParameterException",
        "Unsupported Kubernetes minor version update from 1.34 to 1.36",
        ("cluster.version",),
    ),
    Answer(
        ENTRY,
        "EKS",
        "CreateAccessEntry",
        "InvalidParameterException",
        "The specified principalArn is invalid: invalid principal.",
        ("cluster.administrators",),
    ),
    Answer(
        CLUSTER,
        "EKS",
        "CreateCluster",
        "UnsupportedAvailabilityZoneException",
        "Cannot create cluster 'gpt-oss' because us-east-1e does not currently have sufficient capacity",
        ("cluster.network.zones",),
    ),
    Answer(
        CLUSTER,
        "EKS",
        "CreateCluster",
        "InvalidParameterException",
        "Subnets specified must be in at least two different AZs",
        ("cluster.network.cidr", "cluster.network.zones"),
    ),
    Answer(
        LUSTRE,
        "FSx",
        "CreateFileSystem",
        "BadRequest",
        "StorageCapacity must be 1200 or 2400 or a multiple of 2400",
        ("modelCache.size", "modelCache.storage.throughput"),
    ),
    Answer(
        TARGET,
        "EFS",
        "CreateMountTarget",
        "MountTargetConflict",
        "mount target already exists in this AZ",
        ("modelCache.storage.kind",),
    ),
    Answer(
        ROLE,
        "IAM",
        "CreateRole",
        "EntityAlreadyExists",
        "Role with name gpt-oss-node already exists.",
        ("cluster.name",),
    ),
    Answer(
        SUBNET,
        "EC2",
        "DeleteSubnet",
        "DependencyViolation",
        "The subnet 'subnet-1' has dependencies and cannot be deleted.",
        (),
        page="destroy-hangs",
    ),
    Answer(
        VPC,
        "EC2",
        "CreateTags",
        "TagLimitExceeded",
        "More than 50 tags",
        ("cluster.tags",),
    ),
)
