"""What AWS has to allow for each type of resource: to create, read, update, delete and tag it.

Sources:
- the resource's own requests: hashicorp/terraform-provider-aws, internal/service, which pulumi-aws runs;
- what a service asks of its caller besides: `handlers` in the resource's CloudFormation schema, and the
  dependent actions of the Service Authorization Reference, which also says on which resources an action can
  be allowed (https://docs.aws.amazon.com/service-authorization/latest/reference/reference.html);
- further ones where they are used.

`sts:GetCallerIdentity`, by which the provider and the kubeconfig's command know their caller, needs no
permission (https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html).
"""

from collections.abc import Mapping

from operations.permissions.cluster import CLUSTER
from operations.permissions.network import NETWORK
from operations.permissions.right import On, Rights, right
from operations.permissions.storage import STORAGE

RIGHTS: Mapping[str, Rights] = {**NETWORK, **CLUSTER, **STORAGE}
"""Type of a resource -> what it needs."""

ALWAYS = Rights(
    (
        # By its role the caller enters the cluster (stacks/program/cluster_creator.py).
        right(On.CALLER, "iam", "GetRole"),
        # `dynamo-stack preflight` (operations/preflight/account.py).
        right(
            On.ANYTHING,
            "ec2",
            "DescribeAddresses DescribeAvailabilityZones DescribeCapacityBlockOfferings "
            "DescribeCapacityReservations DescribeInstanceTypeOfferings DescribeInstanceTypes "
            "DescribeRouteTables DescribeSubnets DescribeVpcs",
        ),
        right(On.REGION, "ec2", "DescribeVpcAttribute"),
        right(On.ANYTHING, "eks", "DescribeAddonVersions"),
        right(On.ANYTHING, "servicequotas", "GetServiceQuota"),
    )
)
"""What guards and preflight ask for, whatever a stack has."""
