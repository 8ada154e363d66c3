"""The roles that a stack makes in the account: where they are, and what none may do."""

from collections.abc import Callable, Mapping
from typing import Any

from resource_graph import Resource
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.eks_settings_of_every_kind import eks_settings_of_every_kind
from tests.support.recordings import recorded_stack

ROLE = "aws:iam/role:Role"
BOUNDARY = "arn:aws:iam::123456789012:policy/team/boundary"


def every_kind_settings() -> dict[str, Any]:
    settings = eks_settings_of_every_kind()
    settings["cluster"]["roles"] = {"path": "/team/", "permissionsBoundary": BOUNDARY}
    return settings


STACKS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "b200": eks_b200_settings,
    "gb200": eks_gb200_settings,
    "every kind, own roles": every_kind_settings,
}


def of_the_account(name: str) -> list[Resource]:
    return [each for each in recorded_stack(resolved(STACKS[name]())) if each.type.startswith("aws:")]


def test_roles_have_the_path_and_the_boundary_that_are_typed_and_none_else() -> None:
    typed, plain = (
        [each.inputs for each in of_the_account(name) if each.type == ROLE]
        for name in ("every kind, own roles", "b200")
    )
    assert len(typed) >= 5
    assert {(each["path"], each["permissionsBoundary"]) for each in typed} == {("/team/", BOUNDARY)}
    assert not [each for each in plain if {"path", "permissionsBoundary"} & each.keys()]


def test_no_role_may_do_everything_and_none_is_an_administrator() -> None:
    for name in STACKS:
        for resource in of_the_account(name):
            assert resource.type not in {"aws:iam/policyAttachment:PolicyAttachment", "aws:iam/user:User"}
            # Policies are JSON texts.
            assert '"Action": "*"' not in str(dict(resource.inputs))
            assert '"Action": ["*"]' not in str(dict(resource.inputs))
