"""One resource of every type, each with the inputs that a program would give."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.lab.aws_provider.account import EKS, Made, make, trust

if TYPE_CHECKING:
    from lab.aws_provider.provider import Provider

POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["logs:PutLogEvents"], "Resource": "*"}],
    }
)
NETWORK_INTERFACES = [
    {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface", "deleteOnTermination": "true"},
    *(
        {
            "networkCardIndex": card,
            "deviceIndex": int(card == 0),
            "interfaceType": "efa-only",
            "deleteOnTermination": "true",
        }
        for card in range(8)
    ),
]


def everything(provider: Provider) -> dict[str, Made]:
    """Makes them in the order in which they need each other; label -> what was made."""
    made: dict[str, Made] = {}

    def add(token: str, label: str, /, **inputs: Any) -> str:
        made[label] = make(provider, f"aws:{token}", label, **inputs)
        return made[label].id

    vpc = _network(add)
    _identity(add, made)
    _traffic(add, made, vpc)
    _cluster(add, made)
    _storage(add, made)
    return made


def _network(add: Any) -> str:
    vpc = add(
        "ec2/vpc:Vpc",
        "vpc",
        cidrBlock="10.50.0.0/16",
        enableDnsHostnames=True,
        enableDnsSupport=True,
        tags={"Name": "net"},
    )
    add("ec2/defaultSecurityGroup:DefaultSecurityGroup", "default", vpcId=vpc, ingress=[], egress=[])
    add(
        "ec2/availabilityZoneGroup:AvailabilityZoneGroup",
        "zones",
        groupName="us-east-1-dfw-2",
        optInStatus="opted-in",
    )
    for number, zone in enumerate("ab"):
        add(
            "ec2/subnet:Subnet",
            f"subnet-{zone}",
            vpcId=vpc,
            cidrBlock=f"10.50.{number}.0/24",
            availabilityZone=f"us-east-1{zone}",
            mapPublicIpOnLaunch=False,
        )
    add("ec2/internetGateway:InternetGateway", "internet", vpcId=vpc)
    return vpc


def _identity(add: Any, made: dict[str, Made]) -> None:
    role = add("iam/role:Role", "role", assumeRolePolicy=trust(*EKS))
    add("iam/rolePolicy:RolePolicy", "inline", role=role, policy=POLICY)
    add(
        "iam/rolePolicyAttachment:RolePolicyAttachment",
        "attached",
        role=role,
        policyArn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy",
    )
    add("kms/key:Key", "key", description="k", enableKeyRotation=True)
    add("cloudwatch/logGroup:LogGroup", "logs", name="/any/logs", retentionInDays=7)


def _traffic(add: Any, made: dict[str, Made], vpc: str) -> None:
    address = add("ec2/eip:Eip", "address", domain="vpc")
    subnet = made["subnet-a"].id
    nat = add("ec2/natGateway:NatGateway", "nat", allocationId=address, subnetId=subnet)
    table = add("ec2/routeTable:RouteTable", "table", vpcId=vpc)
    add("ec2/route:Route", "route", routeTableId=table, destinationCidrBlock="0.0.0.0/0", natGatewayId=nat)
    add("ec2/routeTableAssociation:RouteTableAssociation", "association", routeTableId=table, subnetId=subnet)
    add(
        "ec2/vpcEndpoint:VpcEndpoint",
        "endpoint",
        vpcId=vpc,
        serviceName="com.amazonaws.us-east-1.s3",
        vpcEndpointType="Gateway",
        routeTableIds=[table],
    )
    add(
        "ec2/flowLog:FlowLog",
        "flow-log",
        vpcId=vpc,
        trafficType="ALL",
        logDestination=made["logs"].outputs["arn"],
        iamRoleArn=made["role"].outputs["arn"],
    )
    group = add("ec2/securityGroup:SecurityGroup", "group", description="nodes", vpcId=vpc)
    add(
        "vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        "lustre",
        securityGroupId=group,
        referencedSecurityGroupId=group,
        ipProtocol="tcp",
        fromPort=988,
        toPort=988,
        description="lustre",
    )
    add(
        "vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        "out",
        securityGroupId=group,
        referencedSecurityGroupId=group,
        ipProtocol="-1",
    )


def _cluster(add: Any, made: dict[str, Made]) -> None:
    role, subnets = made["role"].outputs["arn"], [made["subnet-a"].id, made["subnet-b"].id]
    placement = add("ec2/placementGroup:PlacementGroup", "placement", strategy="cluster")
    interfaces = [{**item, "securityGroups": [made["group"].id]} for item in NETWORK_INTERFACES]
    template = add(
        "ec2/launchTemplate:LaunchTemplate",
        "template",
        updateDefaultVersion=True,
        instanceType="p6-b200.48xlarge",
        networkInterfaces=interfaces,
        blockDeviceMappings=[
            {
                "deviceName": "/dev/xvda",
                "ebs": {"volumeSize": 200, "volumeType": "gp3", "encrypted": "true"},
            }
        ],
        metadataOptions={"httpTokens": "required", "httpPutResponseHopLimit": 1},
        placement={"groupName": placement},
        userData="aGVsbG8=",
        tagSpecifications=[{"resourceType": "instance", "tags": {"Name": "gpu"}}],
    )
    cluster = add(
        "eks/cluster:Cluster",
        "cluster",
        roleArn=role,
        version="1.35",
        vpcConfig={"subnetIds": subnets, "endpointPrivateAccess": True, "endpointPublicAccess": False},
        accessConfig={"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
        encryptionConfig={"provider": {"keyArn": made["key"].outputs["arn"]}, "resources": ["secrets"]},
        enabledClusterLogTypes=["audit", "api"],
        bootstrapSelfManagedAddons=False,
        upgradePolicy={"supportType": "STANDARD"},
    )
    add(
        "eks/addon:Addon",
        "addon",
        clusterName=cluster,
        addonName="vpc-cni",
        podIdentityAssociations=[{"roleArn": role, "serviceAccount": "aws-node"}],
        resolveConflictsOnCreate="OVERWRITE",
        resolveConflictsOnUpdate="PRESERVE",
    )
    add(
        "eks/nodeGroup:NodeGroup",
        "nodes",
        clusterName=cluster,
        nodeRoleArn=role,
        subnetIds=subnets[:1],
        amiType="AL2023_x86_64_NVIDIA",
        capacityType="ON_DEMAND",
        launchTemplate={"id": template, "version": "1"},
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 2},
        updateConfig={"maxUnavailable": 1},
        labels={"example.com/pool": "gpu"},
        taints=[{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
    )
    principal = "arn:aws:iam::123456789012:role/admin"
    add("eks/accessEntry:AccessEntry", "entry", clusterName=cluster, principalArn=principal, type="STANDARD")
    add(
        "eks/accessPolicyAssociation:AccessPolicyAssociation",
        "admin",
        clusterName=cluster,
        principalArn=principal,
        policyArn="arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
        accessScope={"type": "cluster"},
    )
    add(
        "autoscaling/schedule:Schedule",
        "window",
        scheduledActionName="open",
        autoscalingGroupName=made["nodes"].outputs["resources"][0]["autoscalingGroups"][0]["name"],
        startTime="2099-01-01T11:30:00Z",
        minSize=0,
        maxSize=2,
        desiredCapacity=2,
    )


def _storage(add: Any, made: dict[str, Made]) -> None:
    subnet, group = made["subnet-a"].id, made["group"].id
    files = add("efs/fileSystem:FileSystem", "files", encrypted=True, throughputMode="elastic")
    add("efs/mountTarget:MountTarget", "mount", fileSystemId=files, subnetId=subnet, securityGroups=[group])
    add(
        "efs/accessPoint:AccessPoint",
        "point",
        fileSystemId=files,
        posixUser={"uid": 1000, "gid": 1000},
        rootDirectory={
            "path": "/x",
            "creationInfo": {"ownerUid": 1, "ownerGid": 1, "permissions": "0755"},
        },
    )
    add(
        "fsx/lustreFileSystem:LustreFileSystem",
        "lustre-files",
        subnetIds=subnet,
        securityGroupIds=[group],
        storageType="SSD",
        storageCapacity=1200,
        fileSystemTypeVersion="2.15",
        deploymentType="PERSISTENT_2",
        perUnitStorageThroughput=125,
        dataCompressionType="LZ4",
    )
