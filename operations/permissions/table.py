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

from operations.permissions.right import On, Right, of_ec2, right

_HANDED_ROLES = right(On.ROLES, "iam", "GetRole ListAttachedRolePolicies")
"""EKS looks at the roles that it is handed."""
_TAGS = "TagResource UntagResource"
_EFS = "elasticfilesystem"
_STORAGE_TAGS = f"ListTagsForResource {_TAGS}"

RIGHTS: Mapping[str, tuple[Right, ...]] = {
    # Networks, and what nodes are launched from.
    "aws:ec2/availabilityZoneGroup:AvailabilityZoneGroup": (
        right(On.ANYTHING, "ec2", "DescribeAvailabilityZones ModifyAvailabilityZoneGroup"),
    ),
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": of_ec2(
        "SecurityGroups", "RevokeSecurityGroupIngress RevokeSecurityGroupEgress"
    ),
    "aws:ec2/eip:Eip": of_ec2(
        "Addresses AddressesAttribute", "AllocateAddress DisassociateAddress", "ReleaseAddress"
    ),
    # Publishing to CloudWatch asks for iam:PassRole, and for nothing of its logs
    # (https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html).
    "aws:ec2/flowLog:FlowLog": of_ec2("FlowLogs", "CreateFlowLogs", "DeleteFlowLogs"),
    "aws:ec2/internetGateway:InternetGateway": of_ec2(
        "InternetGateways",
        "CreateInternetGateway AttachInternetGateway DetachInternetGateway",
        "DeleteInternetGateway",
    ),
    "aws:ec2/launchTemplate:LaunchTemplate": of_ec2(
        "LaunchTemplates LaunchTemplateVersions",
        "CreateLaunchTemplate CreateLaunchTemplateVersion ModifyLaunchTemplate",
        "DeleteLaunchTemplate",
    ),
    "aws:ec2/natGateway:NatGateway": of_ec2("NatGateways", "CreateNatGateway", "DeleteNatGateway"),
    "aws:ec2/placementGroup:PlacementGroup": of_ec2(
        "PlacementGroups", "CreatePlacementGroup", "DeletePlacementGroup"
    ),
    "aws:ec2/route:Route": of_ec2("RouteTables", "CreateRoute ReplaceRoute", "DeleteRoute"),
    "aws:ec2/routeTable:RouteTable": of_ec2(
        "RouteTables", "CreateRouteTable DisassociateRouteTable", "DeleteRouteTable"
    ),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": of_ec2(
        "RouteTables", "AssociateRouteTable ReplaceRouteTableAssociation DisassociateRouteTable"
    ),
    # Before it ends a group or a subnet, the provider looks for network interfaces in it.
    "aws:ec2/securityGroup:SecurityGroup": of_ec2(
        "SecurityGroups NetworkInterfaces",
        "CreateSecurityGroup RevokeSecurityGroupEgress",
        "DeleteSecurityGroup",
    ),
    "aws:ec2/subnet:Subnet": of_ec2(
        "Subnets NetworkInterfaces", "CreateSubnet ModifySubnetAttribute", "DeleteSubnet"
    ),
    "aws:ec2/vpc:Vpc": of_ec2(
        "Vpcs NetworkAcls RouteTables SecurityGroups",
        "DescribeVpcAttribute CreateVpc ModifyVpcAttribute",
        "DeleteVpc",
    ),
    "aws:ec2/vpcEndpoint:VpcEndpoint": of_ec2(
        "VpcEndpoints PrefixLists Vpcs Subnets SecurityGroups",
        "CreateVpcEndpoint ModifyVpcEndpoint",
        "DeleteVpcEndpoints",
    ),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": of_ec2(
        "SecurityGroupRules",
        "AuthorizeSecurityGroupEgress RevokeSecurityGroupEgress ModifySecurityGroupRules",
    ),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": of_ec2(
        "SecurityGroupRules",
        "AuthorizeSecurityGroupIngress RevokeSecurityGroupIngress ModifySecurityGroupRules",
    ),
    # A cluster with its nodes, its roles, its key and its logs.
    "aws:autoscaling/schedule:Schedule": (
        right(On.ANYTHING, "autoscaling", "DescribeScheduledActions"),
        right(On.SCALING_GROUPS, "autoscaling", "PutScheduledUpdateGroupAction DeleteScheduledAction"),
    ),
    "aws:cloudwatch/logGroup:LogGroup": (
        right(On.ANYTHING, "logs", "DescribeLogGroups"),
        right(
            On.LOG_GROUPS,
            "logs",
            "CreateLogGroup DeleteLogGroup PutRetentionPolicy DeleteRetentionPolicy ListTagsForResource "
            + _TAGS,
        ),
    ),
    "aws:eks/accessEntry:AccessEntry": (
        right(
            On.CLUSTER,
            "eks",
            f"DescribeAccessEntry CreateAccessEntry UpdateAccessEntry DeleteAccessEntry {_TAGS}",
        ),
    ),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": (
        right(
            On.CLUSTER,
            "eks",
            "ListAssociatedAccessPolicies AssociateAccessPolicy DisassociateAccessPolicy",
        ),
    ),
    "aws:eks/addon:Addon": (
        right(
            On.CLUSTER,
            "eks",
            f"DescribeAddon CreateAddon UpdateAddon DeleteAddon DescribeUpdate {_TAGS} "
            "DescribePodIdentityAssociation CreatePodIdentityAssociation "
            "UpdatePodIdentityAssociation DeletePodIdentityAssociation",
        ),
        _HANDED_ROLES,
    ),
    # The grant is made in the caller's name, without the mark of one for a service
    # (https://docs.aws.amazon.com/eks/latest/userguide/security-k8s.html, note on kms:CreateGrant). KMS may
    # take five minutes to know a tag (https://docs.aws.amazon.com/kms/latest/developerguide/abac.html): an
    # `up` that is refused the grant ends well when it is repeated.
    "aws:eks/cluster:Cluster": (
        right(On.ANYTHING, "eks", "CreateCluster"),
        right(On.ANYTHING, "ec2", "DescribeSecurityGroups DescribeSubnets DescribeVpcs"),
        right(
            On.CLUSTER,
            "eks",
            f"DescribeCluster UpdateClusterConfig UpdateClusterVersion DeleteCluster {_TAGS} DescribeUpdate",
        ),
        right(On.REGION, "kms", "DescribeKey"),
        right(On.OWN, "kms", "CreateGrant"),
        _HANDED_ROLES,
    ),
    # EKS tries whether the caller may launch what the template describes, with its tags
    # (https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html).
    "aws:eks/nodeGroup:NodeGroup": (
        right(
            On.CLUSTER,
            "eks",
            f"DescribeNodegroup CreateNodegroup UpdateNodegroupConfig UpdateNodegroupVersion {_TAGS} "
            "DeleteNodegroup DescribeUpdate",
        ),
        right(
            On.ANYTHING,
            "ec2",
            "DescribeLaunchTemplates DescribeLaunchTemplateVersions DescribeRouteTables "
            "DescribeSecurityGroups DescribeSubnets DescribeVpcs",
        ),
        right(On.INSTANCES, "ec2", "RunInstances"),
        right(On.REGION, "ec2", "CreateTags"),
        _HANDED_ROLES,
    ),
    "aws:iam/role:Role": (
        right(
            On.ROLES,
            "iam",
            "GetRole GetRolePolicy ListRolePolicies ListAttachedRolePolicies ListInstanceProfilesForRole "
            "DeleteRole UpdateAssumeRolePolicy TagRole UntagRole",
        ),
        right(On.NEW_ROLES, "iam", "CreateRole PutRolePermissionsBoundary"),
    ),
    "aws:iam/rolePolicy:RolePolicy": (
        right(On.ROLES, "iam", "GetRolePolicy"),
        right(On.OWN_POLICIES, "iam", "PutRolePolicy DeleteRolePolicy"),
    ),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": (
        right(On.ROLES, "iam", "ListAttachedRolePolicies DetachRolePolicy"),
        right(On.AWS_POLICIES, "iam", "AttachRolePolicy"),
    ),
    "aws:kms/key:Key": (
        right(On.ANYTHING, "kms", "CreateKey"),
        right(
            On.REGION,
            "kms",
            "DescribeKey GetKeyPolicy GetKeyRotationStatus ListResourceTags EnableKeyRotation TagResource",
        ),
        right(On.OWN, "kms", "DisableKeyRotation UpdateKeyDescription UntagResource ScheduleKeyDeletion"),
    ),
    # File systems. AWS' own keys encrypt them, which asks for nothing more.
    "aws:efs/accessPoint:AccessPoint": (
        right(On.REGION, _EFS, f"DescribeAccessPoints CreateAccessPoint {_STORAGE_TAGS}"),
        right(On.OWN, _EFS, "DeleteAccessPoint"),
    ),
    "aws:efs/fileSystem:FileSystem": (
        right(On.ANYTHING, _EFS, "CreateFileSystem"),
        right(
            On.REGION,
            _EFS,
            f"DescribeFileSystems DescribeLifecycleConfiguration UpdateFileSystem {_STORAGE_TAGS}",
        ),
        right(On.OWN, _EFS, "DeleteFileSystem"),
    ),
    # Its network interface is made in the caller's name
    # (https://docs.aws.amazon.com/efs/latest/ug/API_CreateMountTarget.html).
    "aws:efs/mountTarget:MountTarget": (
        right(
            On.REGION,
            _EFS,
            "DescribeMountTargets DescribeMountTargetSecurityGroups CreateMountTarget "
            "ModifyMountTargetSecurityGroups",
        ),
        right(On.OWN, _EFS, "DeleteMountTarget"),
        right(
            On.ANYTHING,
            "ec2",
            "DescribeNetworkInterfaces DescribeSecurityGroups DescribeSubnets DescribeVpcs",
        ),
        right(
            On.REGION,
            "ec2",
            "CreateNetworkInterface DeleteNetworkInterface ModifyNetworkInterfaceAttribute",
        ),
    ),
    # FSx looks at the network in the caller's name, and tags its interfaces: AWS' policy AmazonFSxFullAccess.
    "aws:fsx/lustreFileSystem:LustreFileSystem": (
        right(On.ANYTHING, "fsx", "DescribeFileSystems"),
        right(On.REGION, "fsx", f"CreateFileSystem UpdateFileSystem {_STORAGE_TAGS}"),
        right(On.OWN, "fsx", "DeleteFileSystem"),
        right(
            On.ANYTHING,
            "ec2",
            "DescribeRouteTables DescribeSecurityGroups DescribeSubnets DescribeVpcs",
        ),
        right(On.REGION, "ec2", "CreateTags GetSecurityGroupsForVpc"),
    ),
}
"""Type of a resource -> what it needs."""

SERVICE_ROLES: Mapping[str, str] = {
    "aws:eks/cluster:Cluster": "eks.amazonaws.com",
    "aws:eks/nodeGroup:NodeGroup": "eks-nodegroup.amazonaws.com",
    "aws:efs/mountTarget:MountTarget": "elasticfilesystem.amazonaws.com",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "fsx.amazonaws.com",
}
"""Type of a resource -> the service whose service-linked role comes with the account's first one."""

ALWAYS = (
    # By its role the caller enters the cluster (stacks/program/account.py).
    right(On.CALLER, "iam", "GetRole"),
    # `dynamo-stack preflight` (operations/preflight/account.py).
    right(
        On.ANYTHING,
        "ec2",
        "DescribeAddresses DescribeAvailabilityZones DescribeCapacityReservations "
        "DescribeInstanceTypeOfferings DescribeInstanceTypes DescribeRouteTables DescribeSubnets "
        "DescribeVpcs",
    ),
    right(On.REGION, "ec2", "DescribeVpcAttribute"),
    right(On.ANYTHING, "eks", "DescribeAddonVersions"),
    right(On.ANYTHING, "servicequotas", "GetServiceQuota"),
)
"""What guards and preflight ask for, whatever a stack has."""
