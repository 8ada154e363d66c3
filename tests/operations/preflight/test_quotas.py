"""Quotas of the account: what the stack needs, what others use, what to ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.operations.preflight.stacks import b200_settings, by_the_hour, seen

if TYPE_CHECKING:
    from tests.operations.preflight.account import Account

Preflight = Any


def _and_spot(*types: tuple[str, str]) -> dict[str, Any]:
    """The stack in a Capacity Block, and beside it pools on Spot."""
    settings = b200_settings()
    for name, zone in types:
        pool = {"name": name.partition(".")[0], "instanceType": name, "nodes": 1, "zone": zone}
        settings["nodePools"].append(pool | {"purchase": {"kind": "spot"}})
    return settings


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        (by_the_hour(), "L-417A185B"),
        # L-7212CCBC is that of P4, P3 and P2.
        (_and_spot(("p5en.48xlarge", "us-east-1a")), "L-C4BD4855"),
    ],
)
def test_vcpus_that_the_account_may_not_run_are_wrong(
    account: Account, preflight: Preflight, settings: dict[str, Any], code: str
) -> None:
    account.quotas(**{code.replace("-", "_"): 191})
    answer = preflight(settings)
    assert answer.code == 1
    shown = seen(answer)
    assert "192 needed of 191, what runs not counted" in shown
    assert f"--service-code ec2 --quota-code {code} --desired-value 192\n" in answer.out
    account.quotas(**{code.replace("-", "_"): 192})
    assert f"good quota {code}" in seen(preflight(settings))


def test_which_spot_quota_p6_has_is_unknown_and_says_where_to_look(
    account: Account, preflight: Preflight
) -> None:
    assert account
    shown = seen(preflight(by_the_hour("spot")))
    assert "unknown quota: vCPUs of p6-b200.48xlarge on Spot no page of AWS has its code" in shown
    assert "L-7212CCBC" not in shown


def test_system_nodes_count_against_standard_vcpus(account: Account, preflight: Preflight) -> None:
    account.quotas(L_1216C47A=5)
    answer = preflight(by_the_hour())
    assert answer.code == 1
    assert "vCPUs of standard instances on demand 24 needed of 5" in seen(answer)
    assert "--quota-code L-1216C47A --desired-value 24\n" in answer.out


def test_pools_share_a_quota(account: Account, preflight: Preflight) -> None:
    account.quotas(L_417A185B=300)
    settings = by_the_hour()
    settings["nodePools"].append(
        settings["nodePools"][0] | {"name": "spare", "labels": {"example.com/pool": "spare"}}
    )
    settings["nodePools"][0] |= {"labels": {"example.com/pool": "first"}}
    assert "384 needed of 300" in seen(preflight(settings))


def test_addresses_of_others_count_and_the_stack_s_own_do_not(account: Account, preflight: Preflight) -> None:
    others = account.addresses_in_use() + 4
    account.quotas(L_0263D0A3=others + 1)
    with account.addresses(4), account.addresses(1, "gpt-oss"):
        answer = preflight(by_the_hour())
        assert f"1 needed of {others + 1}, {others} in use by others" in seen(answer)
        assert answer.code == 0
        settings = by_the_hour()
        settings["cluster"]["network"]["natPerZone"] = True
        answer = preflight(settings)
        assert f"2 needed of {others + 1}, {others} in use by others" in seen(answer)
        assert answer.code == 1


def test_an_adopted_network_needs_neither_address_nor_vpc(account: Account, preflight: Preflight) -> None:
    settings = by_the_hour()
    subnets = {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"}
    settings["cluster"]["network"] = {"kind": "existing", "vpcId": "vpc-01234567", "subnets": subnets}
    shown = seen(preflight(settings))
    assert "elastic IPs" not in shown
    assert "VPCs" not in shown


def test_the_account_s_own_vpc_counts_against_the_quota(account: Account, preflight: Preflight) -> None:
    others = account.networks()
    account.quotas(L_F678F1CE=others)
    answer = preflight(by_the_hour())
    assert f"1 needed of {others}, {others} in use by others" in seen(answer)
    assert answer.code == 1
