"""An action of AWS, the resources on which it is allowed, and for whom a policy allows it."""

from enum import Enum
from typing import Literal, TypeAlias

Holder = Literal["deployer", "previewer"]
"""Who acts in the account: a deployer runs `up`, `destroy` and what goes before them; a previewer runs
`preview`, also with `--refresh`, and changes nothing."""


class On(Enum):
    """The resources on which an action is allowed; the value is the statement's `Sid`."""

    ANYTHING = "Anything"
    """The service knows no resource for the action, or none before it is there."""
    REGION = "InThisRegion"
    """What the service has in account and region: ids are known only afterwards."""
    OWN = "TaggedByThisStack"
    """Of these, what has the tag that the stack gives to everything. It keeps a mistake from another stack; a
    person who may tag can make anything the stack's own."""
    INSTANCES = "Instances"
    """What instances are, and what they are launched from: images of others among it."""
    CLUSTER = "Cluster"
    """The cluster, and what EKS keeps under its name."""
    LOG_GROUPS = "LogGroups"
    SCALING_GROUPS = "ScalingGroupsOfNodes"
    """Auto Scaling groups that EKS makes for nodes in Capacity Blocks."""
    ROLES = "Roles"
    """The stack's own."""
    NEW_ROLES = "NewRoles"
    """The same, with the permissions boundary that is typed."""
    AWS_POLICIES = "PoliciesOfAws"
    """The same, for the policies of AWS that the stack attaches."""
    OWN_POLICIES = "PoliciesOfTheStack"
    """Those of the roles that have a policy of their own."""
    CALLER = "RoleOfTheCaller"
    """Any role of the account: nothing here knows which one calls."""


Right: TypeAlias = "tuple[On, tuple[str, ...]]"
"""On what actions are allowed, and which, with the service's prefix, as in ec2:CreateVpc."""


def reads(action: str) -> bool:
    """Whether an action changes nothing: of the actions here, those of AWS' access levels List and Read."""
    return action.partition(":")[2].startswith(("Describe", "Get", "List"))


def right(on: On, service: str, operations: str) -> Right:
    """Return the right to operations, divided by blanks."""
    return (on, tuple(f"{service}:{each}" for each in operations.split()))


def of_ec2(described: str, in_region: str = "", deleted: str = "") -> tuple[Right, ...]:
    """Return the rights to a resource of EC2 that has tags; of the first operations without their verb."""
    return (
        right(On.ANYTHING, "ec2", " ".join(f"Describe{each}" for each in described.split())),
        right(On.REGION, "ec2", f"{in_region} CreateTags DeleteTags"),
        right(On.OWN, "ec2", deleted),
    )
