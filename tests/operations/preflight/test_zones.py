"""Zones by their ids: the same name is another zone in another account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.operations.preflight.stacks import by_the_hour, seen

if TYPE_CHECKING:
    from tests.operations.preflight.account import Account

Preflight = Any


@pytest.fixture(autouse=True)
def _account(account: Account) -> None:
    assert account


def test_zones_that_take_a_control_plane_are_named_with_their_ids(preflight: Preflight) -> None:
    assert "good zones of the control plane us-east-1a (use1-az6), us-east-1b (use1-az1)" in seen(
        preflight(by_the_hour())
    )


def test_a_zone_that_eks_excludes_is_wrong_and_the_others_are_named(preflight: Preflight) -> None:
    settings = by_the_hour()
    settings["cluster"]["network"]["zones"] = ["us-east-1a", "us-east-1e"]
    answer = preflight(settings)
    assert answer.code == 1
    assert "EKS takes no subnet in us-east-1e (use1-az3)" in seen(answer)
    fix = "cluster.network.zones: others of us-east-1a, us-east-1b, us-east-1c, us-east-1d, us-east-1f"
    assert f"fix zones of the control plane: {fix}\n" in answer.out


def test_a_zone_that_the_account_does_not_have_is_wrong(preflight: Preflight) -> None:
    settings = by_the_hour()
    settings["cluster"]["network"]["zones"] = ["us-east-1a", "us-east-1g"]
    answer = preflight(settings)
    assert answer.code == 1
    assert "this account has no us-east-1g" in seen(answer)


def test_whether_a_zone_has_fsx_is_unknown_and_says_where_to_look(preflight: Preflight) -> None:
    answer = preflight(by_the_hour())
    assert "unknown FSx for Lustre in us-east-1a us-east-1a (use1-az6): FSx is not in ev" in seen(answer)
    settings = by_the_hour()
    settings["modelCache"]["storage"] = {"kind": "efs"}
    assert "FSx" not in seen(preflight(settings))
