"""Route tables, routes, endpoints, flow logs."""

from __future__ import annotations

import zlib
from typing import Any

from lab.aws_provider.catalogue.tagging import of_ec2
from lab.aws_provider.resource_type import (
    BUILT,
    Description,
    ResourceType,
    Subject,
    Update,
    changed_by,
    first,
    fixed,
    output,
)

ROUTE_TABLE = ResourceType(
    pulumi_type="aws:ec2/routeTable:RouteTable",
    service="ec2",
    inputs=fixed("vpcId"),
    create="CreateRouteTable",
    identify=lambda _, answer: answer["RouteTable"]["RouteTableId"],
    describe=lambda subject: first(
        subject, "ec2", "DescribeRouteTables", {"RouteTableIds": [subject.identifier]}, "RouteTables"
    ),
    delete=lambda subject: subject.api.call("ec2", "DeleteRouteTable", {"RouteTableId": subject.identifier}),
    outputs={
        "arn": lambda subject, _: subject.arn("ec2", f"route-table/{subject.identifier}"),
        "ownerId": output("OwnerId"),
    },
    gone=frozenset({"InvalidRouteTableID.NotFound"}),
    tagging=of_ec2("route-table"),
)

_DESTINATIONS = ("destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId")
_TARGETS = (
    "gatewayId",
    "natGatewayId",
    "networkInterfaceId",
    "transitGatewayId",
    "vpcEndpointId",
    "vpcPeeringConnectionId",
    "carrierGatewayId",
    "coreNetworkArn",
    "localGatewayId",
)


def _upper(name: str) -> str:
    return name[0].upper() + name[1:]


def _destination(subject: Subject) -> dict[str, str]:
    return {_upper(name): subject.get(name) for name in _DESTINATIONS if subject.get(name)}


def _describe_route(subject: Subject) -> Description | None:
    asked = {"RouteTableIds": [subject.get("routeTableId")]}
    table = first(subject, "ec2", "DescribeRouteTables", asked, "RouteTables")
    wanted = _destination(subject).items()
    routes: list[Description] = (table or {}).get("Routes", [])
    found = next((route for route in routes if wanted <= route.items()), None)
    return {**found, "RouteTableId": table["RouteTableId"]} if found else None


def _retarget(subject: Subject, _: set[str]) -> None:
    targets = {_upper(name): subject[name] for name in _TARGETS if subject.inputs.get(name)}
    request = {"RouteTableId": subject["routeTableId"], **_destination(subject), **targets}
    subject.api.call("ec2", "ReplaceRoute", request)


ROUTE = ResourceType(
    pulumi_type="aws:ec2/route:Route",
    service="ec2",
    inputs={
        **fixed("routeTableId", *_DESTINATIONS),
        **changed_by("target", *_TARGETS),
        **changed_by("target", "egressOnlyGatewayId", create="EgressOnlyInternetGatewayId"),
    },
    create="CreateRoute",
    identify=lambda subject, _: (
        f"r-{subject['routeTableId']}{zlib.crc32(''.join(_destination(subject).values()).encode())}"
    ),
    describe=_describe_route,
    delete=lambda subject: subject.api.call(
        "ec2", "DeleteRoute", {"RouteTableId": subject.get("routeTableId"), **_destination(subject)}
    ),
    updates={"target": Update(_retarget)},
    outputs={"state": output("State"), "origin": output("Origin")},
    identity=("routeTableId", *_DESTINATIONS),
    gone=frozenset({"InvalidRoute.NotFound", "InvalidRouteTableID.NotFound"}),
)


def _describe_association(subject: Subject) -> Description | None:
    asked = {"RouteTableIds": [subject.get("routeTableId")]}
    table = first(subject, "ec2", "DescribeRouteTables", asked, "RouteTables")
    found: list[Description] = (table or {}).get("Associations", [])
    return next((item for item in found if item.get("RouteTableAssociationId") == subject.identifier), None)


ROUTE_TABLE_ASSOCIATION = ResourceType(
    pulumi_type="aws:ec2/routeTableAssociation:RouteTableAssociation",
    service="ec2",
    # Terraform's provider moves an association to another table, under another id; here it is replaced.
    inputs=fixed("routeTableId", "subnetId", "gatewayId"),
    create="AssociateRouteTable",
    identify=lambda _, answer: answer["AssociationId"],
    describe=_describe_association,
    delete=lambda subject: subject.api.call(
        "ec2", "DisassociateRouteTable", {"AssociationId": subject.identifier}
    ),
    identity=("subnetId", "gatewayId"),
    gone=frozenset({"InvalidAssociationID.NotFound", "InvalidRouteTableID.NotFound"}),
)

_LISTS = {"routeTableIds": "RouteTableIds", "subnetIds": "SubnetIds", "securityGroupIds": "SecurityGroupIds"}


def _modify_endpoint(subject: Subject, changed: set[str]) -> None:
    request: dict[str, Any] = {"VpcEndpointId": subject.identifier}
    for name, api in _LISTS.items():
        if name in changed:
            old, new = set(subject.state.get(name) or []), set(subject.inputs.get(name) or [])
            request |= {f"Add{api}": sorted(new - old)} if new - old else {}
            request |= {f"Remove{api}": sorted(old - new)} if old - new else {}
    if "policy" in changed:
        new_policy = subject.inputs.get("policy")
        request |= {"PolicyDocument": new_policy} if new_policy else {"ResetPolicy": True}
    if "privateDnsEnabled" in changed:
        request["PrivateDnsEnabled"] = subject.inputs.get("privateDnsEnabled", False)
    subject.api.call("ec2", "ModifyVpcEndpoint", request)


def _describe_endpoint(subject: Subject) -> Description | None:
    asked = {"VpcEndpointIds": [subject.identifier]}
    endpoint = first(subject, "ec2", "DescribeVpcEndpoints", asked, "VpcEndpoints")
    if endpoint is None or endpoint.get("State") in {"deleted", "deleting"}:
        return None
    endpoint["SecurityGroupIds"] = [group["GroupId"] for group in endpoint.get("Groups") or []]
    return endpoint


def _delete_endpoint(subject: Subject) -> None:
    # moto fails on an endpoint that it has deleted.
    if _describe_endpoint(subject) is not None:
        subject.api.call("ec2", "DeleteVpcEndpoints", {"VpcEndpointIds": [subject.identifier]})


VPC_ENDPOINT = ResourceType(
    pulumi_type="aws:ec2/vpcEndpoint:VpcEndpoint",
    service="ec2",
    inputs={
        **fixed("vpcId", "serviceName", "vpcEndpointType", "ipAddressType"),
        **fixed("resourceConfigurationArn", "serviceNetworkArn", "serviceRegion", read=None),
        **changed_by("endpoint", *_LISTS),
        **changed_by("endpoint", "policy", create="PolicyDocument"),
        **changed_by("endpoint", "privateDnsEnabled"),
    },
    create="CreateVpcEndpoint",
    identify=lambda _, answer: answer["VpcEndpoint"]["VpcEndpointId"],
    describe=_describe_endpoint,
    delete=_delete_endpoint,
    updates={"endpoint": Update(_modify_endpoint)},
    outputs={
        "arn": lambda subject, _: subject.arn("ec2", f"vpc-endpoint/{subject.identifier}"),
        "state": output("State"),
        "ownerId": output("OwnerId"),
    },
    gone=frozenset({"InvalidVpcEndpointId.NotFound"}),
    tagging=of_ec2("vpc-endpoint"),
)

_LOGGED = {
    "vpcId": "VPC",
    "subnetId": "Subnet",
    "eniId": "NetworkInterface",
    "transitGatewayId": "TransitGateway",
    "transitGatewayAttachmentId": "TransitGatewayAttachment",
}


def _flow_log_request(subject: Subject) -> dict[str, Any]:
    kind, name = next((kind, name) for name, kind in _LOGGED.items() if subject.inputs.get(name) is not None)
    return {"ResourceIds": [subject[name]], "ResourceType": kind}


def _same_resource(live: Any, given: Any) -> Any:
    return live if given is not None else None


FLOW_LOG = ResourceType(
    pulumi_type="aws:ec2/flowLog:FlowLog",
    service="ec2",
    inputs={
        **fixed(*_LOGGED, create=BUILT, read="ResourceId", from_live=_same_resource),
        **fixed("iamRoleArn", create="DeliverLogsPermissionArn"),
        **fixed("logDestination", "logDestinationType", "logFormat", "maxAggregationInterval", "trafficType"),
        **fixed("deliverCrossAccountRole"),
    },
    create="CreateFlowLogs",
    identify=lambda _, answer: answer["FlowLogIds"][0],
    describe=lambda subject: first(
        subject, "ec2", "DescribeFlowLogs", {"FlowLogIds": [subject.identifier]}, "FlowLogs"
    ),
    delete=lambda subject: subject.api.call("ec2", "DeleteFlowLogs", {"FlowLogIds": [subject.identifier]}),
    also=_flow_log_request,
    outputs={"arn": lambda subject, _: subject.arn("ec2", f"vpc-flow-log/{subject.identifier}")},
    gone=frozenset({"InvalidFlowLogId.NotFound"}),
    tagging=of_ec2("vpc-flow-log"),
)

TYPES = (ROUTE_TABLE, ROUTE, ROUTE_TABLE_ASSOCIATION, VPC_ENDPOINT, FLOW_LOG)
