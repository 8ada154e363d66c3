"""The account's quotas, zones and add-ons: what the stack needs, what there is, what to ask for."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from stacks.plan import versions
from stacks.plan.infrastructure import eks_plan
from tests.operations.preflight.stacks import b200_settings, by_the_hour, seen

if TYPE_CHECKING:
    from tests.operations.preflight.account import Account

Preflight = Any
pytestmark = pytest.mark.usefixtures("account")


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


def test_which_spot_quota_p6_has_is_unknown_and_says_where_to_look(preflight: Preflight) -> None:
    shown = seen(preflight(by_the_hour("spot")))
    assert "unknown quota: vCPUs of p6-b200.48xlarge on Spot no page of AWS has its code" in shown
    assert "L-7212CCBC" not in shown


def test_system_nodes_count_against_standard_vcpus_and_pools_share_a_quota(
    account: Account, preflight: Preflight
) -> None:
    account.quotas(L_1216C47A=5, L_417A185B=300)
    settings = by_the_hour()
    settings["nodePools"].append(
        settings["nodePools"][0] | {"name": "spare", "labels": {"example.com/pool": "spare"}}
    )
    settings["nodePools"][0] |= {"labels": {"example.com/pool": "first"}}
    answer = preflight(settings)
    assert answer.code == 1
    assert "vCPUs of standard instances on demand 24 needed of 5" in seen(answer)
    assert "--quota-code L-1216C47A --desired-value 24\n" in answer.out
    assert "384 needed of 300" in seen(answer)


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


def test_an_adopted_network_needs_neither_address_nor_vpc(preflight: Preflight) -> None:
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


@pytest.mark.parametrize(
    ("zones", "verdict", "fix"),
    [
        (None, "good zones of the control plane us-east-1a (use1-az6), us-east-1b (use1-az1)", ""),
        (
            ["us-east-1a", "us-east-1e"],
            "EKS takes no subnet in us-east-1e (use1-az3)",
            "cluster.network.zones: others of us-east-1a, us-east-1b, us-east-1c, us-east-1d, us-east-1f",
        ),
        (["us-east-1a", "us-east-1g"], "this account has no us-east-1g", "cluster.network.zones: "),
    ],
    ids=["two that there are", "one that EKS excludes", "one that the account does not have"],
)
def test_zones_are_named_with_their_ids_and_those_that_take_no_control_plane_are_wrong(
    preflight: Preflight, zones: list[str] | None, verdict: str, fix: str
) -> None:
    settings = by_the_hour()
    if zones is not None:
        settings["cluster"]["network"]["zones"] = zones
    answer = preflight(settings)
    assert answer.code == (1 if fix else 0)
    assert verdict in seen(answer)
    assert not fix or f"fix zones of the control plane: {fix}" in answer.out


def test_whether_a_zone_has_fsx_and_its_client_the_kernel_is_unknown_and_says_where_to_look(
    preflight: Preflight,
) -> None:
    shown = seen(preflight(by_the_hour()))
    assert "unknown FSx for Lustre in us-east-1a us-east-1a (use1-az6): FSx is not in ev" in shown
    assert "kernel 6.18" not in shown
    settings = by_the_hour()
    settings["cluster"]["version"] = "1.36"
    assert "unknown FSx for Lustre with Kubernetes 1.36 nodes have kernel 6.18" in seen(preflight(settings))
    settings["modelCache"]["storage"] = {"kind": "efs"}
    assert "FSx" not in seen(preflight(settings))


@pytest.mark.parametrize("version", sorted(versions.EKS_ADDONS))
def test_eks_has_every_pinned_build_of_every_version_that_can_be_typed(
    preflight: Preflight, version: str
) -> None:
    settings = by_the_hour()
    settings["cluster"]["version"] = version
    answer = preflight(settings)
    assert f"good add-ons for Kubernetes {version} EKS has the pinned builds of all 6" in seen(answer)


def test_a_build_that_eks_does_not_have_is_wrong_and_the_newest_one_is_named(
    preflight: Preflight, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = versions.EKS_ADDONS
    changed = {name: {**builds, eks_plan.EBS_ADDON: "v1.57.1-eksbuild.1"} for name, builds in known.items()}
    monkeypatch.setattr(eks_plan, "EKS_ADDONS", MappingProxyType(changed))
    answer = preflight(by_the_hour())
    assert answer.code == 1
    shown = seen(answer)
    assert "wrong add-on aws-ebs-csi-driver EKS has no build v1.57.1-eksbuild.1 for Kubernetes 1.35" in shown
    fix = "fix add-on aws-ebs-csi-driver: EKS_ADDONS in stacks/plan/versions.py: v1.66.0-eksbuild.1\n"
    assert fix in answer.out
    assert "1 wrong" in shown
