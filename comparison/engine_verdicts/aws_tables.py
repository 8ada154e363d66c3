"""Inputs of AWS resources for which the provider makes another one.

Sources: the argument references and schemas (ForceNew, RequiresReplace) of hashicorp/terraform-provider-aws,
by which pulumi-aws 7.51 is built; facts/previews.md §3e for node groups, clusters, FSx and Capacity Blocks.
"""

from collections.abc import Mapping

from comparison.engine_verdicts.patterns import patterns

Patterns = tuple[tuple[str, ...], ...]

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
CAPACITY_BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"

REPLACED: Mapping[str, Patterns] = {
    "aws:autoscaling/schedule:Schedule": patterns("autoscalingGroupName", "scheduledActionName"),
    "aws:cloudwatch/logGroup:LogGroup": patterns("logGroupClass", "name"),
    "aws:ec2/availabilityZoneGroup:AvailabilityZoneGroup": patterns("groupName"),
    # The offering, its platform and the number: each is a purchase, and none can be given back.
    CAPACITY_BLOCK: patterns("capacityBlockOfferingId", "instancePlatform"),
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": patterns("vpcId"),
    "aws:ec2/eip:Eip": patterns(
        "address", "customerOwnedIpv4Pool", "domain", "ipamPoolId", "networkBorderGroup", "publicIpv4Pool"
    ),
    "aws:ec2/flowLog:FlowLog": patterns(
        "deliverCrossAccountRole", "eniId", "iamRoleArn", "logDestination", "logDestinationType", "logFormat",
        "maxAggregationInterval", "subnetId", "trafficType", "transitGatewayAttachmentId", "transitGatewayId",
        "vpcId",
    ),
    LAUNCH_TEMPLATE: patterns("name"),
    "aws:ec2/natGateway:NatGateway": patterns(
        "allocationId", "connectivityType", "privateIp", "secondaryAllocationIds",
        "secondaryPrivateIpAddressCount", "secondaryPrivateIpAddresses", "subnetId",
    ),
    "aws:ec2/placementGroup:PlacementGroup": patterns("name", "partitionCount", "spreadLevel", "strategy"),
    "aws:ec2/route:Route": patterns(
        "destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId", "routeTableId"
    ),
    "aws:ec2/routeTable:RouteTable": patterns("vpcId"),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": patterns("gatewayId", "routeTableId", "subnetId"),
    "aws:ec2/securityGroup:SecurityGroup": patterns("description", "name", "vpcId"),
    "aws:ec2/subnet:Subnet": patterns(
        "availabilityZone", "availabilityZoneId", "cidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength",
        "ipv6CidrBlock", "ipv6IpamPoolId", "ipv6Native", "ipv6NetmaskLength", "outpostArn", "vpcId",
    ),
    "aws:ec2/vpc:Vpc": patterns(
        "assignGeneratedIpv6CidrBlock", "cidrBlock", "instanceTenancy", "ipv4IpamPoolId", "ipv4NetmaskLength",
        "ipv6CidrBlock", "ipv6CidrBlockNetworkBorderGroup", "ipv6IpamPoolId", "ipv6NetmaskLength",
    ),
    "aws:ec2/vpcEndpoint:VpcEndpoint": patterns(
        "ipAddressType", "resourceConfigurationArn", "serviceName", "serviceNetworkArn", "serviceRegion",
        "vpcEndpointType", "vpcId",
    ),
    "aws:efs/accessPoint:AccessPoint": patterns("fileSystemId", "posixUser", "rootDirectory"),
    "aws:efs/fileSystem:FileSystem": patterns(
        "availabilityZoneName", "creationToken", "encrypted", "kmsKeyId", "performanceMode"
    ),
    "aws:efs/mountTarget:MountTarget": patterns(
        "fileSystemId", "ipAddress", "ipAddressType", "ipv6Address", "subnetId"
    ),
    "aws:eks/accessEntry:AccessEntry": patterns("clusterName", "principalArn", "type"),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": patterns(
        "accessScope", "clusterName", "policyArn", "principalArn"
    ),
    "aws:eks/addon:Addon": patterns("addonName", "clusterName", "namespaceConfig"),
    "aws:eks/cluster:Cluster": patterns(
        "accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons",
        "encryptionConfig", "kubernetesNetworkConfig", "name", "roleArn",
    ),
    NODE_GROUP: patterns(
        "amiType", "capacityType", "clusterName", "diskSize", "instanceTypes", "launchTemplate.id",
        "launchTemplate.name", "nodeGroupName", "nodeRoleArn", "remoteAccess", "subnetIds",
    ),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": patterns(
        "clusterName", "namespace", "serviceAccount"
    ),
    LUSTRE: patterns(
        "copyTagsToBackups", "deploymentType", "driveCacheType", "efaEnabled", "exportPath", "importPath",
        "importedFileChunkSize", "kmsKeyId", "securityGroupIds", "storageType", "subnetIds",
    ),
    "aws:iam/role:Role": patterns("name", "path"),
    "aws:iam/rolePolicy:RolePolicy": patterns("name", "role"),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": patterns("policyArn", "role"),
    "aws:kms/key:Key": patterns(
        "customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion", "xksKeyId"
    ),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": patterns("securityGroupId"),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": patterns("securityGroupId"),
}  # fmt: skip

TAGGED = frozenset(
    {
        "aws:cloudwatch/logGroup:LogGroup",
        CAPACITY_BLOCK,
        "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
        "aws:ec2/eip:Eip",
        "aws:ec2/flowLog:FlowLog",
        "aws:ec2/internetGateway:InternetGateway",
        LAUNCH_TEMPLATE,
        "aws:ec2/natGateway:NatGateway",
        "aws:ec2/placementGroup:PlacementGroup",
        "aws:ec2/routeTable:RouteTable",
        "aws:ec2/securityGroup:SecurityGroup",
        "aws:ec2/subnet:Subnet",
        "aws:ec2/vpc:Vpc",
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        "aws:efs/accessPoint:AccessPoint",
        "aws:efs/fileSystem:FileSystem",
        "aws:eks/accessEntry:AccessEntry",
        "aws:eks/addon:Addon",
        "aws:eks/cluster:Cluster",
        NODE_GROUP,
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        LUSTRE,
        "aws:iam/role:Role",
        "aws:kms/key:Key",
        "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    }
)
"""Types that bear tags, and the provider's default tags besides: those with an output tagsAll."""

ROLLS_NODES: Mapping[str, Patterns] = {
    NODE_GROUP: patterns("launchTemplate.version", "releaseVersion", "version"),
}
"""Inputs for which EKS replaces the nodes of a group, a few at a time; size, labels and taints it changes in
place."""
