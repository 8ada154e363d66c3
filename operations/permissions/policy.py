"""IAM policies from a stack's recorded resources."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from operations.errors import CommandError
from operations.permissions.right import Holder, On, Right, reads
from operations.permissions.table import ALWAYS, RIGHTS, SERVICE_ROLES
from resource_graph import Resource, ResourceGraph
from stacks.plan.infrastructure.eks_plan import STACK_TAG, EksPlan
from stacks.settings.cluster import CapacityBlock

Statement = dict[str, Any]
Policy = dict[str, Any]
"""A policy document, as IAM takes it."""

LARGEST = 6_144
"""Characters of a managed policy, white space not counted
(https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html)."""
_AWS = "aws:"
_ROLE = "aws:iam/role:Role"
_POLICY = "aws:iam/rolePolicy:RolePolicy"
_ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
_LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
_EKS = "eks.amazonaws.com"
_HANDED_TO_EKS = frozenset({_EKS, "ec2.amazonaws.com", "pods.eks.amazonaws.com"})
"""Services that take roles which EKS is handed, be it for itself, for nodes or for pods."""


def policies(plan: EksPlan, graphs: Iterable[ResourceGraph], holder: Holder) -> tuple[Policy, ...]:
    """Return the policy of a stack's deployer or previewer; several where one would be too long for IAM.

    Args:
        plan: the stack's infrastructure.
        graphs: recordings of the stack, in each of the states that it goes through.
        holder: for whom the policy is.

    Raises:
        CommandError: nobody has written down what a type of resource needs.

    """
    resources = tuple(
        {each.urn: each for graph in graphs for each in graph if each.type.startswith(_AWS)}.values()
    )
    kinds = dict.fromkeys(each.type for each in resources)
    for kind in kinds:
        if kind not in RIGHTS:
            raise CommandError(f"no permissions are known for {kind}: operations/permissions has none")
    rights = chain(ALWAYS, *(RIGHTS[kind] for kind in kinds))
    statements = [*_allowed(plan, resources, rights, holder)]
    if holder == "deployer":
        statements += [*_handed_on(_roles(plan, resources)), _service_roles(plan, kinds)]
    return tuple(_documents(statements))


def _allowed(
    plan: EksPlan, resources: Sequence[Resource], rights: Iterable[Right], holder: Holder
) -> Iterator[Statement]:
    actions: dict[On, set[str]] = {on: set() for on in On}
    for on, allowed in rights:
        actions[on] |= {each for each in allowed if holder == "deployer" or reads(each)}
    if plan.cluster.roles.permissions_boundary is None:
        # A boundary that somebody else has put on a role stays there.
        actions[On.NEW_ROLES].discard("iam:PutRolePermissionsBoundary")
    for on, found in actions.items():
        if found:
            where, condition = _resources(plan, resources, on, found), _condition(plan, resources, on)
            yield _statement(on.value, found, where, condition)


def _resources(plan: EksPlan, resources: Sequence[Resource], on: On, actions: Iterable[str]) -> list[str]:
    """Return on what the actions are allowed; stacks know no other partition than `aws`."""
    cluster = plan.cluster
    here = f"{cluster.region}:{cluster.account_id}"
    in_region = [
        f"arn:aws:{each}:{here}:*" for each in sorted({action.partition(":")[0] for action in actions})
    ]
    kinds = ("access-entry", "addon", "nodegroup", "podidentityassociation")
    roles = sorted(_roles(plan, resources))
    blocks = [each.name for each in plan.gpu_nodes if isinstance(each.purchase, CapacityBlock)]
    with_policy = {urn for each in _of_type(resources, _POLICY) for urn in each.dependencies}
    return {
        On.ANYTHING: ["*"],
        On.REGION: in_region,
        On.OWN: in_region,
        # An image of somebody else has no account in its ARN.
        On.INSTANCES: [*in_region, f"arn:aws:ec2:{cluster.region}::image/*"],
        On.CLUSTER: [
            f"arn:aws:eks:{here}:cluster/{cluster.name}",
            *(f"arn:aws:eks:{here}:{kind}/{cluster.name}/*" for kind in kinds),
        ],
        # With and without what CloudWatch appends for the streams of a group.
        On.LOG_GROUPS: [
            f"arn:aws:logs:{here}:log-group:{each}*" for each in _inputs(resources, _LOG_GROUP, "name")
        ],
        # EKS calls the groups of nodes in Capacity Blocks eks-<node group>-<id>.
        On.SCALING_GROUPS: [
            f"arn:aws:autoscaling:{here}:autoScalingGroup:*:autoScalingGroupName/eks-{each}-*"
            for each in blocks
        ],
        On.ROLES: roles,
        On.NEW_ROLES: roles,
        On.AWS_POLICIES: roles,
        On.OWN_POLICIES: sorted(_roles(plan, [each for each in resources if each.urn in with_policy])),
        On.CALLER: [f"arn:aws:iam::{cluster.account_id}:role/*"],
    }[on]


def _roles(plan: EksPlan, resources: Iterable[Resource]) -> dict[str, str]:
    """Return ARN -> service that takes the role."""
    path = f"arn:aws:iam::{plan.cluster.account_id}:role{plan.cluster.roles.path}"
    trusts = {
        f"{path}{each.inputs['name']}": json.loads(str(each.inputs["assumeRolePolicy"]))
        for each in _of_type(resources, _ROLE)
    }
    return {arn: trust["Statement"][0]["Principal"]["Service"] for arn, trust in trusts.items()}


def _inputs(resources: Iterable[Resource], kind: str, name: str) -> list[str]:
    return sorted({str(each.inputs[name]) for each in _of_type(resources, kind)})


def _of_type(resources: Iterable[Resource], kind: str) -> list[Resource]:
    return [each for each in resources if each.type == kind]


def _condition(plan: EksPlan, resources: Iterable[Resource], on: On) -> Mapping[str, object] | None:
    boundary = plan.cluster.roles.permissions_boundary
    match on:
        case On.OWN:
            return {"StringEquals": {f"aws:ResourceTag/{STACK_TAG}": plan.tags[STACK_TAG]}}
        case On.NEW_ROLES if boundary is not None:
            return {"StringEquals": {"iam:PermissionsBoundary": boundary}}
        case On.AWS_POLICIES:
            return {"ArnEquals": {"iam:PolicyARN": _inputs(resources, _ATTACHMENT, "policyArn")}}
        case _:
            return None


def _handed_on(roles: Mapping[str, str]) -> Iterator[Statement]:
    """Yield which role (ARN -> service that takes it) may be handed to which service."""
    groups: dict[str, list[str]] = {}
    for arn, service in roles.items():
        groups.setdefault(_EKS if service in _HANDED_TO_EKS else service, []).append(arn)
    for taker, arns in sorted(groups.items()):
        services = sorted({taker, *(roles[arn] for arn in arns)})
        sid = "RolesFor" + "".join(word.title() for word in taker.split(".")[0].split("-"))
        yield _statement(
            sid, {"iam:PassRole"}, sorted(arns), {"StringEquals": {"iam:PassedToService": services}}
        )


def _service_roles(plan: EksPlan, kinds: Iterable[str]) -> Statement:
    services = sorted({SERVICE_ROLES[kind] for kind in kinds if kind in SERVICE_ROLES})
    arn = f"arn:aws:iam::{plan.cluster.account_id}:role/aws-service-role/*"
    condition = {"StringEquals": {"iam:AWSServiceName": services}}
    return _statement("ServiceLinkedRoles", {"iam:CreateServiceLinkedRole"}, [arn], condition)


def _statement(
    sid: str, actions: set[str], resources: list[str], condition: Mapping[str, object] | None
) -> Statement:
    made: Statement = {"Sid": sid, "Effect": "Allow", "Action": sorted(actions), "Resource": resources}
    return made | ({"Condition": condition} if condition else {})


def _documents(statements: Iterable[Statement]) -> Iterator[Policy]:
    """Yield as few policies as hold all statements in their order."""
    policy: Policy = {"Version": "2012-10-17", "Statement": []}
    for statement in statements:
        longer = policy | {"Statement": [*policy["Statement"], statement]}
        # As IAM counts characters, without white space.
        if policy["Statement"] and len(json.dumps(longer, separators=(",", ":"))) > LARGEST:
            yield policy
            longer = policy | {"Statement": [statement]}
        policy = longer
    yield policy
