"""One answer of AWS, in the words of pulumi-aws 7.51 (terraform-provider-aws over aws-sdk-go-v2)."""

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
NODES = "nodePools[]"


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
    """Keys that the message names."""
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
