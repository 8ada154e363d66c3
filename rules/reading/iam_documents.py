"""IAM policies: documents written as JSON texts or mappings, and managed ones attached by name."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value, has_unknown
from rules.reading.pods.pods import Unreadable
from rules.reading.shapes import Undecided, attempted, mappings_at, text_at

_ROLE = "aws:iam/role:Role"
_WITH_POLICY = (
    "aws:iam/policy:Policy",
    "aws:iam/rolePolicy:RolePolicy",
    "aws:iam/userPolicy:UserPolicy",
    "aws:iam/groupPolicy:GroupPolicy",
)
_ATTACHMENTS = (
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    "aws:iam/policyAttachment:PolicyAttachment",
    "aws:iam/userPolicyAttachment:UserPolicyAttachment",
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement that allows something."""

    actions: Sequence[str]
    all_but: Sequence[str]
    """Actions of NotAction: the statement allows every action but these."""
    resources: Sequence[str]
    for_anybody: bool
    """Whether the principal is the whole world, and no condition narrows it."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Permissions that one resource gives."""

    resource: Resource
    statements: Sequence[Statement]
    managed: Sequence[str]
    """Names of attached managed policies."""


def read_grants(graph: ResourceGraph) -> Iterator[Grant | Unreadable]:
    """Every policy and attachment of the graph."""
    for resource_type in (*_WITH_POLICY, _ROLE, *_ATTACHMENTS):
        for resource in graph.of_type(resource_type):
            grant = attempted(_grant, resource)
            is_read = isinstance(grant, Grant)
            yield grant if is_read else Unreadable(resource, resource.name, str(grant))


def _grant(resource: Resource) -> Grant:
    inputs = resource.inputs
    if resource.type in _ATTACHMENTS:
        return Grant(resource, (), [_managed(text_at(inputs, "policyArn") or "")])
    if resource.type != _ROLE:
        return Grant(resource, list(_statements(inputs.get("policy"))), ())
    documents = [inputs.get("assumeRolePolicy")]
    documents += [inline.get("policy") for inline in mappings_at(inputs, "inlinePolicies")]
    managed = _texts(inputs.get("managedPolicyArns"), "managedPolicyArns")
    statements = [each for document in documents for each in _statements(document)]
    return Grant(resource, statements, [_managed(arn) for arn in managed])


def _managed(arn: str) -> str:
    return arn.rpartition("/")[2]


def _statements(document: Value) -> Iterator[Statement]:
    if document is None:
        return
    content = _parsed(document)
    statements = content.get("Statement", [])
    for statement in statements if isinstance(statements, list) else [statements]:
        if not isinstance(statement, Mapping):
            raise Undecided("a statement of the policy is no mapping")
        if statement.get("Effect") == "Allow":
            yield Statement(
                actions=_texts(statement.get("Action"), "Action"),
                all_but=_texts(statement.get("NotAction"), "NotAction"),
                resources=_texts(statement.get("Resource"), "Resource"),
                for_anybody=_is_anybody(statement.get("Principal")) and not statement.get("Condition"),
            )


def _parsed(document: Value) -> Mapping[str, Value]:
    if document is UNKNOWN or has_unknown(document):
        raise Undecided("the policy is known only after the update")
    if isinstance(document, str):
        try:
            document = cast("Value", json.loads(document))
        except (ValueError, RecursionError) as error:
            raise Undecided(f"the policy is no JSON: {error}") from error
    if not isinstance(document, Mapping):
        raise Undecided("the policy is no mapping")
    return document


def _texts(value: Value, what: str) -> Sequence[str]:
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, Sequence):
        raise Undecided(f"{what} is neither a text nor a list of texts")
    texts = [item for item in items if isinstance(item, str)]
    if len(texts) != len(items):
        raise Undecided(f"a part of {what} is not known, or no text")
    return texts


def _is_anybody(principal: Value) -> bool:
    if isinstance(principal, Mapping):
        principal = principal.get("AWS")
    return principal == "*" or (isinstance(principal, list) and "*" in principal)
