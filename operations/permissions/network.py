"""What AWS has to allow for networks and for what nodes are launched from."""

from collections.abc import Mapping

from operations.permissions.right import On, Rights, of_ec2, right

NETWORK: Mapping[str, Rights] = {
    "aws:ec2/availabilityZoneGroup:AvailabilityZoneGroup": Rights(
        (right(On.ANYTHING, "ec2", "DescribeAvailabilityZones ModifyAvailabilityZoneGroup"),)
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
}
"""Type of a resource -> what it needs."""
