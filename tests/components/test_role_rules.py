"""The roles that a stack makes, where an organization asks for a path and a permissions boundary."""

from __future__ import annotations

import pytest

from tests.components.recorded import recorded
from tests.support.eks_settings import eks_b200_settings
from tests.support.eks_settings_of_every_kind import eks_settings_of_every_kind

ROLE = "aws:iam/role:Role"
BOUNDARIES = ("arn:aws:iam::123456789012:policy/team/boundary", "arn:aws:iam::aws:policy/PowerUserAccess")


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_every_role_has_the_path_and_the_boundary(boundary: str) -> None:
    settings = eks_settings_of_every_kind()
    settings["cluster"]["roles"] = {"path": "/team/", "permissionsBoundary": boundary}
    roles = [each.inputs for each in recorded(settings).of_type(ROLE)]
    assert len(roles) >= 5
    assert {(each["path"], each["permissionsBoundary"]) for each in roles} == {("/team/", boundary)}


def test_a_role_of_which_nothing_is_asked_is_as_it_was() -> None:
    for each in recorded(eks_b200_settings()).of_type(ROLE):
        assert not {"path", "permissionsBoundary"} & each.inputs.keys()
