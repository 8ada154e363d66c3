"""Is the network there, does it carry the cluster, and is the API server reached?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from operations.preflight.account import Account, is_of
from operations.preflight.answer import Answer, good, unknown, wrong
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.settings.cluster import AdoptedNetworkSettings, OwnNetwork

_FREE_FOR_CONTROL_PLANE = 16
"""Six are needed, sixteen recommended (https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html)."""
_FLAGS = {"enableDnsSupport": "--enable-dns-support", "enableDnsHostnames": "--enable-dns-hostnames"}
API_SERVER = "API server from here"
_WAYS_OUT = (
    "NatGatewayId",
    "TransitGatewayId",
    "NetworkInterfaceId",
    "GatewayId",
    "VpcPeeringConnectionId",
    "CoreNetworkArn",
    "LocalGatewayId",
    "CarrierGatewayId",
)
_YOUR_ADDRESS = "`curl https://checkip.amazonaws.com`, a service of AWS, prints your address"


def reached(plan: EksPlan, account: Account) -> Iterator[Answer]:
    """Answer whether this machine may reach the API server: AWS has no API that says from where one asks."""
    cidrs = plan.cluster.public_cidrs
    if cidrs:
        found = f"open to {', '.join(cidrs)} and the VPC; {_YOUR_ADDRESS}"
        yield unknown(API_SERVER, found)
    elif isinstance(plan.cluster.network, OwnNetwork) and not any(
        is_of(plan.cluster.name, each) for each in account.ask("ec2", "describe_vpcs")["Vpcs"]
    ):
        found = "only the VPC reaches it, in which nobody can be before `up` has made it"
        yield wrong(API_SERVER, found, f'cluster.publicCidrs: ["ADDRESS/32"]; {_YOUR_ADDRESS}')


def adopted(plan: EksPlan, account: Account) -> Iterator[Answer]:
    """Answer what there is to ask of a VPC that exists; nothing of one that the stack makes."""
    network = plan.cluster.network
    if isinstance(network, AdoptedNetworkSettings):
        yield from _subnets(network, plan.control_plane, account)
        yield from _names(network, account)


def _subnets(
    network: AdoptedNetworkSettings, control_plane: Sequence[str], account: Account
) -> Iterator[Answer]:
    of_vpc = [{"Name": "vpc-id", "Values": [network.vpc_id]}]
    listed = account.ask("ec2", "describe_subnets", Filters=of_vpc)["Subnets"]
    found = {each["SubnetId"]: each for each in listed}
    ways = ways_out(account.ask("ec2", "describe_route_tables", Filters=of_vpc)["RouteTables"])
    for zone, subnet_id in sorted(network.subnets.items()):
        question, setting = f"subnet {subnet_id}", f"cluster.network.subnets.{zone}"
        if subnet_id not in found:
            yield wrong(question, f"{network.vpc_id} has no such subnet", f"{setting}: another one")
            continue
        place, free = found[subnet_id]["AvailabilityZone"], found[subnet_id]["AvailableIpAddressCount"]
        if place != zone:
            yield wrong(question, f"is in {place}", f"{setting}: one in {zone}")
        needed = _FREE_FOR_CONTROL_PLANE if zone in control_plane else 1
        if free < needed:
            text = f"{free} free addresses, and EKS wants {needed} beside those of nodes and pods"
            yield wrong(question, text, f"{setting}: a larger one")
        way = ways.get(subnet_id, ways.get(None))
        if not way:
            yield wrong(
                question, "no way out: images and model come from outside", "a route to a NAT gateway"
            )
        elif way.startswith("igw-"):
            text = f"leads to {way}, and nodes get no public address"
            yield wrong(question, text, f"{setting}: a private one, with a route to a NAT gateway")
        else:
            yield good(question, f"{place}, {free} free addresses, out by {way}")


def _names(network: AdoptedNetworkSettings, account: Account) -> Iterator[Answer]:
    question = f"DNS of {network.vpc_id}"
    asked = {
        name: account.ask("ec2", "describe_vpc_attribute", VpcId=network.vpc_id, Attribute=name)
        for name in _FLAGS
    }
    off = [flag for name, flag in _FLAGS.items() if not asked[name][name[0].upper() + name[1:]]["Value"]]
    if not off:
        yield good(question, "names and resolution are on")
    for flag in off:
        fix = f"aws ec2 modify-vpc-attribute --vpc-id {network.vpc_id} {flag}"
        yield wrong(question, "nodes find neither API server nor file systems by name", fix)


def ways_out(tables: Sequence[Mapping[str, Any]]) -> dict[str | None, str]:
    """Return subnet -> what its default route leads to; None: all subnets without a table of their own."""
    return {
        None if of.get("Main") else of.get("SubnetId"): _default_route(table)
        for table in tables
        for of in table["Associations"]
        # That of a gateway is about what comes in.
        if of.get("Main") or of.get("SubnetId")
    }


def _default_route(table: Mapping[str, Any]) -> str:
    """Return the id of its target; empty: there is none, or the target is gone."""
    for route in table["Routes"]:
        if route.get("DestinationCidrBlock") == "0.0.0.0/0" and route.get("State") != "blackhole":
            return next((str(route[target]) for target in _WAYS_OUT if route.get(target)), "")
    return ""
