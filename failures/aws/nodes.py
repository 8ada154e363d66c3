"""Refusals of nodes: what was bought, where, and whether it joins."""

from failures.aws.errors import FAILED_LATER, TIMED_OUT
from failures.aws.refusal import NODES, NODES_PAGE, PREFLIGHT, Refusal

_PURCHASE = (f"{NODES}.purchase.id", f"{NODES}.purchase.kind")
_WHERE = (f"{NODES}.zone", f"{NODES}.instanceType")

REFUSALS = (
    # Is there capacity?
    Refusal(
        r"InvalidCapacityReservationState\.PendingActivation",
        (f"{NODES}.purchase.phase", f"{NODES}.purchase.starts"),
        "the Capacity Block's window has not opened yet",
        "type `phase: waiting` until then, or wait for the window",
    ),
    Refusal(
        r"ReservationCapacityExceeded",
        (f"{NODES}.purchase.id", f"{NODES}.nodes", f"{NODES}.purchase.phase"),
        "the reservation has no room for these nodes: others use it, it is smaller, or it is not active",
        PREFLIGHT,
    ),
    Refusal(
        r"InvalidCapacityReservation(Id)?(\.\w+)?|InvalidCapacityReservationState(\.\w+)?",
        _PURCHASE,
        "no usable reservation of this id in this account and region",
        "`aws ec2 describe-capacity-reservations` has the ids; preflight compares",
    ),
    Refusal(
        r"InsufficientInstanceCapacity|UnfulfillableCapacity|InsufficientCapacity",
        (f"{NODES}.purchase.kind", f"{NODES}.purchase.id", f"{NODES}.zone"),
        "AWS has no such machines free in this zone now",
        "wait and run it again, or buy a Capacity Block or a reservation, with its id in purchase.id",
    ),
    Refusal(
        r"UnsupportedOperation",
        (f"{NODES}.purchase.kind", f"{NODES}.instanceType"),
        "this instance type is not sold this way",
        PREFLIGHT,
        operations=r"CreateLaunchTemplate.*|CreateNodegroup|" + FAILED_LATER,
    ),
    Refusal(
        r"Unsupported|InvalidAvailabilityZone|InvalidZone\.NotFound|Ec2InstanceTypeDoesNotExist",
        _WHERE,
        "the zone does not have this instance type, or the account does not see the zone",
        PREFLIGHT,
    ),
    Refusal(
        r"Invalid\w+",
        (*_WHERE, f"{NODES}.purchase.id"),
        "the zone does not have this instance type; for a Capacity Block only the block's zone has it",
        PREFLIGHT,
        says="instance types do not exist|not supported in your requested Availability Zone",
    ),
    Refusal(
        r"InvalidParameter\w*|InvalidRequestException",
        (f"{NODES}.purchase.id", f"{NODES}.zone", f"{NODES}.instanceType"),
        "the reservation is for another instance type, another zone or another way of buying",
        PREFLIGHT,
        says="capacity reservation|capacity.block",
    ),
    # Nodes that are there, and of no use.
    Refusal(
        r"NodeCreationFailure|ClusterUnreachable|" + TIMED_OUT,
        ("cluster.network.subnets", f"{NODES}.zone"),
        "the machines run, and did not join the cluster in time",
        "look at what they say, as the page shows",
        page=NODES_PAGE,
        operations=FAILED_LATER,
    ),
    Refusal(
        r"InsufficientFreeAddresses\w*|NoFreeAddressesInSubnet|PrivateIpAddressLimitExceeded",
        ("cluster.network.cidr", "cluster.network.subnets"),
        "the subnet has no free addresses: every pod takes one",
        "a VPC's range cannot grow: name larger subnets, or make the stack anew with a larger range",
    ),
    Refusal(
        r"Ec2Subnet\w+|InvalidSubnet(ID|Id)?\.NotFound|InvalidVpcI[Dd]\.NotFound|SubnetNotFound",
        ("cluster.network.subnets", "cluster.network.vpcId"),
        "there is no such subnet or VPC in this account and region, or nodes cannot use it",
        "`aws ec2 describe-subnets` has the ids",
    ),
    Refusal(
        r"AsgInstanceLaunchFailures|AutoScalingGroup\w+|Ec2LaunchTemplate\w+",
        (f"{NODES}.instanceType", f"{NODES}.zone", f"{NODES}.purchase.kind"),
        "no machine could be launched as this group asks for it",
        PREFLIGHT,
        page=NODES_PAGE,
    ),
)
