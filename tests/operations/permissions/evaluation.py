"""Policies of a stack with any settings, and whether they allow what was asked of AWS, as IAM judges it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from operations.permissions.policy import Policy, Statement, policies
from operations.permissions.right import Holder
from resource_graph import ResourceGraph
from stacks.plan.stack_plan import in_phase
from tests.support.dev_settings import resolved
from tests.support.recordings import recorded_stack

REGION, ACCOUNT = "us-east-1", "123456789012"
_PREFIXES = {"efs": "elasticfilesystem", "service-quotas": "servicequotas"}
"""Services whose actions have another name than their API."""
_FREE = {"sts:GetCallerIdentity"}
"""Allowed to everybody."""
_TAGGING = {
    "ec2": "ec2:CreateTags",
    "efs": "elasticfilesystem:TagResource",
    "fsx": "fsx:TagResource",
    "eks": "eks:TagResource",
    "iam": "iam:TagRole",
    "kms": "kms:TagResource",
    "logs": "logs:TagResource",
}
"""What creating with tags needs besides."""
_PASSED_TO = {
    "roleArn": "eks.amazonaws.com",
    "nodeRole": "eks.amazonaws.com",
    "DeliverLogsPermissionArn": "vpc-flow-logs.amazonaws.com",
}
_IN_CLUSTER = {
    "Nodegroup": ("nodegroup", "nodegroupName"),
    "Addon": ("addon", "addonName"),
    "Access": ("access-entry", "principalArn"),
}


@dataclass(frozen=True)
class Asked:
    """One action on one resource."""

    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict[str, str])


def asked(request: Mapping[str, Any], stack: str, path: str = "/") -> Iterator[Asked]:
    """What a request to the simulated account, by a stack whose cluster has this name, has to be allowed."""
    service, operation, given = request["service"], request["operation"], request["parameters"]
    action = f"{_PREFIXES.get(service, service)}:{operation}"
    if action in _FREE:
        return
    resource = _resource(service, operation, given, path)
    context = {"aws:ResourceTag/dynamo-stack": stack}
    if "PolicyArn" in given:
        context["iam:PolicyARN"] = given["PolicyArn"]
    yield Asked(action, resource, context)
    if service in _TAGGING and {"Tags", "tags", "TagSpecifications"} & given.keys():
        yield Asked(_TAGGING[service], resource, context)
    for name, taker in _PASSED_TO.items():
        if name in given:
            yield Asked("iam:PassRole", given[name], {"iam:PassedToService": taker})
    for each in given.get("podIdentityAssociations", []):
        yield Asked("iam:PassRole", each["roleArn"], {"iam:PassedToService": "pods.eks.amazonaws.com"})


def allowed(policies: Iterable[Policy], wanted: Asked) -> bool:
    """Whether some statement allows it; there are none that deny."""
    return any(_allows(each, wanted) for policy in policies for each in policy["Statement"])


def _allows(statement: Statement, wanted: Asked) -> bool:
    return (
        wanted.action in statement["Action"]
        and any(fnmatchcase(wanted.resource, pattern) for pattern in statement["Resource"])
        and all(
            wanted.context.get(key) in ([value] if isinstance(value, str) else value)
            for keys in statement.get("Condition", {}).values()
            for key, value in keys.items()
        )
    )


def _resource(service: str, operation: str, given: Mapping[str, Any], path: str) -> str:
    match service:
        case "iam":
            return f"arn:aws:iam::{ACCOUNT}:role{path}{given['RoleName']}"
        case "eks":
            return _here("eks", _in_cluster(operation, given))
        case "logs":
            name = given.get("logGroupName", "")
            return given.get("resourceArn") or _here("logs", f"log-group:{name}:*")
        case "autoscaling":
            name = given["AutoScalingGroupName"]
            return _here("autoscaling", f"autoScalingGroup:an-id:autoScalingGroupName/{name}")
        case _:
            return _here(_PREFIXES.get(service, service), "some-type/some-id")


def _in_cluster(operation: str, given: Mapping[str, Any]) -> str:
    if "resourceArn" in given:
        return str(given["resourceArn"]).split(":", 5)[5]
    if "clusterName" not in given:
        return f"cluster/{given.get('name', '')}"
    kind, name = next(each for word, each in _IN_CLUSTER.items() if word in operation)
    # What is created is not there yet: EKS asks for the cluster.
    if operation.startswith("Create"):
        return f"cluster/{given['clusterName']}"
    return f"{kind}/{given['clusterName']}/{given.get(name, '')}/an-id"


def _here(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{resource}"


def recordings(settings: dict[str, Any]) -> list[ResourceGraph]:
    """The stack before and after the windows of its Capacity Blocks have opened."""
    stack = resolved(settings)
    return [recorded_stack(in_phase(stack, phase)) for phase in ("waiting", "active")]


def made(settings: dict[str, Any], holder: Holder = "deployer") -> tuple[Policy, ...]:
    """The documents."""
    plan = resolved(settings).infrastructure
    assert plan is not None
    return policies(plan, recordings(settings), holder)


def statements(settings: dict[str, Any], holder: Holder = "deployer") -> dict[str, Statement]:
    """The statements of all documents by their ids."""
    return {each["Sid"]: each for policy in made(settings, holder) for each in policy["Statement"]}


def actions(settings: dict[str, Any], holder: Holder = "deployer") -> set[str]:
    """All that is allowed on anything."""
    return {action for each in statements(settings, holder).values() for action in each["Action"]}
