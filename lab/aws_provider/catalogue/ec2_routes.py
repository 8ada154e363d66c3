"""Route tables, routes, endpoints, flow logs."""

from __future__ import annotations

import zlib

from lab.aws_provider.catalogue.ec2_networks import unless_ended
from lab.aws_provider.catalogue.tagging import of_ec2
from lab.aws_provider.resource_type import (
    BUILT,
    Description,
    Parameters,
    ResourceType,
    Subject,
    by_id,
    deleted_by,
    fixed,
    not_updated,
    output,
    upper,
)

_OF_TABLE = frozenset({"InvalidRouteTableID.NotFound"})

ROUTE_TABLE = ResourceType(
    pulumi_type="aws:ec2/routeTable:RouteTable",
    service="ec2",
    inputs=fixed("vpcId"),
    create="CreateRouteTable",
    identify=lambda _, answer: answer["RouteTable"]["RouteTableId"],
    read="DescribeRouteTables",
    ask=by_id("RouteTableIds"),
    found="RouteTables.0",
    delete=deleted_by("DeleteRouteTable", "RouteTableId"),
    outputs={"arn": lambda subject, _: subject.arn("ec2", f"route-table/{subject.identifier}")},
    gone=_OF_TABLE,
    tagging=of_ec2("route-table"),
)


def _of_route(subject: Subject) -> Parameters:
    return {upper(name): subject.get(name) for name in ("routeTableId", "destinationCidrBlock")}


def _route(subject: Subject, table: Description) -> Description | None:
    wanted = subject.get("destinationCidrBlock")
    found = next((each for each in table["Routes"] if each.get("DestinationCidrBlock") == wanted), None)
    return {**found, "RouteTableId": table["RouteTableId"]} if found else None


def _association(subject: Subject, table: Description) -> Description | None:
    found = table.get("Associations", [])
    return next((each for each in found if each.get("RouteTableAssociationId") == subject.identifier), None)


ROUTE = ResourceType(
    pulumi_type="aws:ec2/route:Route",
    service="ec2",
    inputs={
        **fixed("routeTableId", "destinationCidrBlock"),
        **not_updated("gatewayId", "natGatewayId"),
    },
    create="CreateRoute",
    identify=lambda subject, _: (
        f"r-{subject['routeTableId']}{zlib.crc32(subject['destinationCidrBlock'].encode())}"
    ),
    read="DescribeRouteTables",
    ask=lambda subject: {"RouteTableIds": [subject.get("routeTableId")]},
    found="RouteTables.0",
    complete=_route,
    delete=lambda subject: [("DeleteRoute", _of_route(subject))],
    outputs={"state": output("State")},
    identity=("routeTableId", "destinationCidrBlock"),
    gone=_OF_TABLE | {"InvalidRoute.NotFound"},
)

ROUTE_TABLE_ASSOCIATION = ResourceType(
    pulumi_type="aws:ec2/routeTableAssociation:RouteTableAssociation",
    service="ec2",
    # Terraform's provider moves an association to another table, under another id; here it is replaced.
    inputs=fixed("routeTableId", "subnetId"),
    create="AssociateRouteTable",
    identify=lambda _, answer: answer["AssociationId"],
    read="DescribeRouteTables",
    ask=lambda subject: {"RouteTableIds": [subject.get("routeTableId")]},
    found="RouteTables.0",
    complete=_association,
    delete=deleted_by("DisassociateRouteTable", "AssociationId"),
    identity=("subnetId",),
    gone=_OF_TABLE | {"InvalidAssociationID.NotFound"},
)


VPC_ENDPOINT = ResourceType(
    pulumi_type="aws:ec2/vpcEndpoint:VpcEndpoint",
    service="ec2",
    inputs={
        **fixed("vpcId", "serviceName", "vpcEndpointType"),
        **not_updated("routeTableIds"),
    },
    create="CreateVpcEndpoint",
    identify=lambda _, answer: answer["VpcEndpoint"]["VpcEndpointId"],
    read="DescribeVpcEndpoints",
    ask=by_id("VpcEndpointIds"),
    found="VpcEndpoints.0",
    complete=unless_ended,
    delete=deleted_by("DeleteVpcEndpoints", "VpcEndpointIds"),
    outputs={"state": output("State")},
    gone=frozenset({"InvalidVpcEndpointId.NotFound"}),
    tagging=of_ec2("vpc-endpoint"),
)

FLOW_LOG = ResourceType(
    pulumi_type="aws:ec2/flowLog:FlowLog",
    service="ec2",
    inputs={
        **fixed("vpcId", create=BUILT, read="ResourceId"),
        **fixed("iamRoleArn", create="DeliverLogsPermissionArn"),
        **fixed("logDestination", "trafficType"),
    },
    create="CreateFlowLogs",
    identify=lambda _, answer: answer["FlowLogIds"][0],
    read="DescribeFlowLogs",
    ask=by_id("FlowLogIds"),
    found="FlowLogs.0",
    delete=deleted_by("DeleteFlowLogs", "FlowLogIds"),
    also=lambda subject: {"ResourceIds": [subject["vpcId"]], "ResourceType": "VPC"},
    outputs={"arn": lambda subject, _: subject.arn("ec2", f"vpc-flow-log/{subject.identifier}")},
    gone=frozenset({"InvalidFlowLogId.NotFound"}),
    tagging=of_ec2("vpc-flow-log"),
)

TYPES = (ROUTE_TABLE, ROUTE, ROUTE_TABLE_ASSOCIATION, VPC_ENDPOINT, FLOW_LOG)
