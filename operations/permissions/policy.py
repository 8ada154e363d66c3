"""IAM policies from a stack's recorded resources."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from operations.errors import CommandError
from operations.permissions.right import Holder, On, Rights, reads
from operations.permissions.table import ALWAYS, RIGHTS
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
    resources = {each.urn: each for graph in graphs for each in graph if each.type.startswith(_AWS)}
    recorded = _Recorded(plan, tuple(resources.values()))
    statements = [*_allowed(recorded, holder)]
    if holder == "deployer":
        statements += [*_handed_on(recorded), _service_roles(recorded)]
    return tuple(_documents(statements))


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What policies are made of; stacks know no other partition than `aws`."""

    plan: EksPlan
    resources: Sequence[Resource]

    def rights(self) -> Iterator[Rights]:
        yield ALWAYS
        for kind in dict.fromkeys(each.type for each in self.resources):
            if kind not in RIGHTS:
                raise CommandError(f"no permissions are known for {kind}: operations/permissions has none")
            yield RIGHTS[kind]

    def inputs(self, kind: str, name: str) -> list[str]:
        return sorted({str(each.inputs[name]) for each in self._of_type(kind)})

    def roles(self) -> dict[str, str]:
        """Return ARN -> service that takes the role."""
        trusts = {
            str(each.inputs["name"]): json.loads(str(each.inputs["assumeRolePolicy"]))
            for each in self._of_type(_ROLE)
        }
        return {
            self.role(name): trust["Statement"][0]["Principal"]["Service"] for name, trust in trusts.items()
        }

    def roles_with_policies(self) -> list[str]:
        with_policy = {urn for each in self._of_type(_POLICY) for urn in each.dependencies}
        names = (str(each.inputs["name"]) for each in self._of_type(_ROLE) if each.urn in with_policy)
        return sorted(map(self.role, names))

    def scaling_groups(self) -> list[str]:
        """Return those of nodes in Capacity Blocks; EKS calls them eks-<node group>-<id>."""
        blocks = [each for each in self.plan.gpu_nodes if isinstance(each.purchase, CapacityBlock)]
        names = (f"autoScalingGroup:*:autoScalingGroupName/eks-{each.name}-*" for each in blocks)
        return [self.here("autoscaling", each) for each in names]

    def role(self, name: str) -> str:
        return f"arn:aws:iam::{self.plan.cluster.account_id}:role{self.plan.cluster.roles.path}{name}"

    def here(self, service: str, resource: str) -> str:
        return f"arn:aws:{service}:{self.plan.cluster.region}:{self.plan.cluster.account_id}:{resource}"

    def _of_type(self, kind: str) -> list[Resource]:
        return [each for each in self.resources if each.type == kind]


def _allowed(recorded: _Recorded, holder: Holder) -> Iterator[Statement]:
    actions: dict[On, set[str]] = {on: set() for on in On}
    for rights in recorded.rights():
        for on, allowed in rights.all:
            actions[on] |= {each for each in allowed if holder == "deployer" or reads(each)}
    if recorded.plan.cluster.roles.permissions_boundary is None:
        # A boundary that somebody else has put on a role stays there.
        actions[On.NEW_ROLES].discard("iam:PutRolePermissionsBoundary")
    for on, found in actions.items():
        if found:
            yield _statement(on.value, found, _resources(recorded, on, found), _condition(recorded, on))


def _resources(recorded: _Recorded, on: On, actions: Iterable[str]) -> list[str]:
    cluster = recorded.plan.cluster
    services = sorted({action.partition(":")[0] for action in actions})
    in_region = [recorded.here(service, "*") for service in services]
    kinds = ("access-entry", "addon", "nodegroup", "podidentityassociation")
    roles = sorted(recorded.roles())
    of_cluster = [recorded.here("eks", f"{kind}/{cluster.name}/*") for kind in kinds]
    # With and without what CloudWatch appends for the streams of a group.
    log_groups = [f"log-group:{each}*" for each in recorded.inputs(_LOG_GROUP, "name")]
    return {
        On.ANYTHING: ["*"],
        On.REGION: in_region,
        On.OWN: in_region,
        # An image of somebody else has no account in its ARN.
        On.INSTANCES: [*in_region, f"arn:aws:ec2:{cluster.region}::image/*"],
        On.CLUSTER: [recorded.here("eks", f"cluster/{cluster.name}"), *of_cluster],
        On.LOG_GROUPS: [recorded.here("logs", each) for each in log_groups],
        On.SCALING_GROUPS: recorded.scaling_groups(),
        On.ROLES: roles,
        On.NEW_ROLES: roles,
        On.AWS_POLICIES: roles,
        On.OWN_POLICIES: recorded.roles_with_policies(),
        On.CALLER: [f"arn:aws:iam::{cluster.account_id}:role/*"],
    }[on]


def _condition(recorded: _Recorded, on: On) -> Mapping[str, object] | None:
    boundary = recorded.plan.cluster.roles.permissions_boundary
    match on:
        case On.OWN:
            return {"StringEquals": {f"aws:ResourceTag/{STACK_TAG}": recorded.plan.tags[STACK_TAG]}}
        case On.NEW_ROLES if boundary is not None:
            return {"StringEquals": {"iam:PermissionsBoundary": boundary}}
        case On.AWS_POLICIES:
            return {"ArnEquals": {"iam:PolicyARN": recorded.inputs(_ATTACHMENT, "policyArn")}}
        case _:
            return None


def _handed_on(recorded: _Recorded) -> Iterator[Statement]:
    """Yield which role may be handed to which service."""
    groups: dict[str, list[str]] = {}
    for arn, service in recorded.roles().items():
        groups.setdefault(_EKS if service in _HANDED_TO_EKS else service, []).append(arn)
    for taker, arns in sorted(groups.items()):
        services = sorted({taker, *(recorded.roles()[arn] for arn in arns)})
        sid = "RolesFor" + "".join(word.title() for word in taker.split(".")[0].split("-"))
        yield _statement(
            sid, {"iam:PassRole"}, sorted(arns), {"StringEquals": {"iam:PassedToService": services}}
        )


def _service_roles(recorded: _Recorded) -> Statement:
    services = sorted({each.service_role for each in recorded.rights() if each.service_role})
    arn = f"arn:aws:iam::{recorded.plan.cluster.account_id}:role/aws-service-role/*"
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
