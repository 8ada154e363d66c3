"""A VPC with room for a control plane, GPU nodes and, where the GPU type lives there, a Local Zone."""

import json

import pulumi
import pulumi_aws as aws

from components.iam import document, role
from components.options import LOG_DAYS, Resources, child
from stacks.plan.infrastructure.eks_plan import EksPlan, zone_group
from stacks.settings.cluster import OwnNetwork

_WRITES_LOGS = ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams"]


class Network(pulumi.ComponentResource):
    """Public and private subnets over several zones, with a way out and a record of the traffic.

    Args:
        plan: its subnets are in two or more of the region's own zones, because EKS puts interfaces of the
            control plane into at least two, none of them local
            (https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html); then in Local Zones. One
            outside the zones of the control plane goes with the last pool in its zone.
        network: the settings of the VPC.
        keep: protect the VPC and the control plane's subnets: a cluster cannot move to others.

    """

    vpc: aws.ec2.Vpc
    private_subnets: dict[str, aws.ec2.Subnet]
    """Zone -> its private subnet, the Local Zone's included."""

    def __init__(
        self,
        name: str,
        plan: EksPlan,
        network: OwnNetwork,
        *,
        keep: bool,
        opts: pulumi.ResourceOptions,
    ) -> None:
        zones = [each.zone for each in plan.subnets if each.public is not None]
        inputs = {"cidr": network.cidr, "zones": zones}
        super().__init__("dynamo-stack:components:Network", name, inputs, opts)
        self._name = name
        self._cluster = plan.cluster
        self._subnets = plan.subnets
        self._kept_zones = plan.control_plane if keep else ()
        self.vpc = aws.ec2.Vpc(
            f"{name}-vpc",
            cidr_block=network.cidr,
            # Private endpoints of EKS, EFS and FSx are names.
            enable_dns_hostnames=True,
            enable_dns_support=True,
            tags={"Name": plan.cluster.name},
            opts=child(self, protect=keep),
        )
        # What nobody attached a group to gets the default one, which lets its members talk to each other.
        aws.ec2.DefaultSecurityGroup(
            f"{name}-default-security-group",
            vpc_id=self.vpc.id,
            ingress=[],
            egress=[],
            tags={"Name": f"{plan.cluster.name}-default"},
            opts=child(self),
        )
        gateways = self._public_side(nat_per_zone=network.nat_per_zone)
        self.private_subnets = self._private_side(gateways)
        self._flow_logs()
        self.register_outputs({"vpcId": self.vpc.id})

    def _public_side(self, *, nat_per_zone: bool) -> dict[str, aws.ec2.NatGateway]:
        """Make the public subnets; return zone -> the NAT gateway that its private subnet leaves by.

        Without one in each zone, the failure of the first one's cuts off the others.
        """
        name, title = self._name, self._cluster.name
        internet = aws.ec2.InternetGateway(
            f"{name}-internet", vpc_id=self.vpc.id, tags={"Name": title}, opts=child(self)
        )
        table = self._route_table("public", gateway_id=internet.id)
        gateways: dict[str, aws.ec2.NatGateway] = {}
        for each in self._subnets:
            if each.public is None:
                continue
            zone = each.zone
            subnet = self._subnet(f"public-{zone}", zone, each.public, role="elb")
            association = self._associate(f"public-{zone}", subnet, table)
            if gateways and not nat_per_zone:
                continue
            address = aws.ec2.Eip(
                f"{name}-nat-{zone}",
                domain="vpc",
                tags={"Name": f"{title}-nat-{zone}"},
                opts=child(self, [internet]),
            )
            gateways[zone] = aws.ec2.NatGateway(
                f"{name}-nat-{zone}",
                allocation_id=address.id,
                subnet_id=subnet.id,
                tags={"Name": f"{title}-{zone}"},
                opts=child(self, [association]),
            )
        return gateways

    def _private_side(self, gateways: dict[str, aws.ec2.NatGateway]) -> dict[str, aws.ec2.Subnet]:
        first = next(iter(gateways.values()))
        subnets: dict[str, aws.ec2.Subnet] = {}
        tables: list[aws.ec2.RouteTable] = []
        for each in self._subnets:
            zone = each.zone
            after = [self._opted_in(zone)] if each.public is None else []
            subnet = self._subnet(f"private-{zone}", zone, each.private, role="internal-elb", after=after)
            # A Local Zone has no NAT gateway of its own: its traffic leaves through the region.
            gateway = gateways.get(zone, first)
            table = self._route_table(f"private-{zone}", nat_gateway_id=gateway.id)
            self._associate(f"private-{zone}", subnet, table)
            subnets[zone] = subnet
            tables.append(table)
        # Images and models in S3 would be paid for by the gigabyte at the NAT gateway.
        aws.ec2.VpcEndpoint(
            f"{self._name}-s3",
            vpc_id=self.vpc.id,
            service_name=f"com.amazonaws.{self._cluster.region}.s3",
            vpc_endpoint_type="Gateway",
            route_table_ids=[table.id for table in tables],
            tags={"Name": f"{self._cluster.name}-s3"},
            opts=child(self),
        )
        return subnets

    def _opted_in(self, local_zone: str) -> pulumi.Resource:
        group = zone_group(local_zone)
        # Opting out again takes AWS's support, so the group stays when the stack goes.
        return aws.ec2.AvailabilityZoneGroup(
            f"{self._name}-{group}",
            group_name=group,
            opt_in_status="opted-in",
            opts=pulumi.ResourceOptions(parent=self, retain_on_delete=True),
        )

    def _subnet(
        self, what: str, zone: str, cidr: str, *, role: str, after: Resources | None = None
    ) -> aws.ec2.Subnet:
        keep = zone in self._kept_zones
        return aws.ec2.Subnet(
            f"{self._name}-{what}",
            vpc_id=self.vpc.id,
            availability_zone=zone,
            cidr_block=cidr,
            map_public_ip_on_launch=False,
            # How the load balancer controller finds subnets
            # (https://docs.aws.amazon.com/eks/latest/userguide/network-load-balancing.html).
            tags={"Name": f"{self._cluster.name}-{what}", f"kubernetes.io/role/{role}": "1"},
            opts=child(self, after or None, protect=keep),
        )

    def _route_table(
        self,
        what: str,
        *,
        gateway_id: pulumi.Input[str] | None = None,
        nat_gateway_id: pulumi.Input[str] | None = None,
    ) -> aws.ec2.RouteTable:
        name = f"{self._name}-{what}"
        table = aws.ec2.RouteTable(
            name, vpc_id=self.vpc.id, tags={"Name": f"{self._cluster.name}-{what}"}, opts=child(self)
        )
        aws.ec2.Route(
            name,
            route_table_id=table.id,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=gateway_id,
            nat_gateway_id=nat_gateway_id,
            opts=child(self),
        )
        return table

    def _associate(
        self, what: str, subnet: aws.ec2.Subnet, table: aws.ec2.RouteTable
    ) -> aws.ec2.RouteTableAssociation:
        return aws.ec2.RouteTableAssociation(
            f"{self._name}-{what}", subnet_id=subnet.id, route_table_id=table.id, opts=child(self)
        )

    def _flow_logs(self) -> None:
        name, cluster = self._name, self._cluster
        group_name = f"/dynamo-stack/{cluster.name}/flow-logs"
        arn = f"arn:aws:logs:{cluster.region}:{cluster.account_id}:log-group:{group_name}"
        log_group = aws.cloudwatch.LogGroup(
            f"{name}-flow-logs",
            name=group_name,
            retention_in_days=LOG_DAYS,
            opts=child(self),
        )
        writer, _ = role(
            f"{name}-flow-logs",
            f"{cluster.name}-flow-logs",
            "vpc-flow-logs.amazonaws.com",
            (),
            child(self),
            rules=cluster.roles,
        )
        policy = aws.iam.RolePolicy(
            f"{name}-flow-logs",
            role=writer.id,
            # Written out, because the group's own ARN is known only after the update, and nobody could judge
            # the policy before.
            policy=json.dumps(
                document([{"Effect": "Allow", "Action": _WRITES_LOGS, "Resource": f"{arn}:*"}])
            ),
            opts=child(self),
        )
        aws.ec2.FlowLog(
            f"{name}-flow-logs",
            vpc_id=self.vpc.id,
            traffic_type="ALL",
            log_destination=log_group.arn,
            iam_role_arn=writer.arn,
            opts=child(self, [policy]),
        )
