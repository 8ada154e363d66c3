"""The account's quotas, zones and add-ons: what the stack needs, what there is, what to ask for."""

from types import MappingProxyType
from typing import Any

import pytest

from stacks.plan import versions
from stacks.plan.infrastructure import eks_plan
from tests.cli.command import merged
from tests.operations.preflight.conftest import (
    Account,
    Preflight,
    b200_settings,
    by_the_hour,
    ec2_client,
    seen,
)

pytestmark = pytest.mark.usefixtures("account")


def _cluster(**changes: Any) -> dict[str, Any]:
    return merged(by_the_hour(), {"cluster": changes})


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
    others = len(ec2_client().describe_addresses()["Addresses"]) + 4
    account.quotas(L_0263D0A3=others + 1)
    with account.addresses(4), account.addresses(1, "gpt-oss"):
        answer = preflight(by_the_hour())
        assert f"1 needed of {others + 1}, {others} in use by others" in seen(answer)
        assert answer.code == 0
        answer = preflight(_cluster(network={"natPerZone": True}))
        assert f"2 needed of {others + 1}, {others} in use by others" in seen(answer)
        assert answer.code == 1


def test_the_account_s_own_vpc_counts_against_the_quota(account: Account, preflight: Preflight) -> None:
    others = len(ec2_client().describe_vpcs()["Vpcs"])
    account.quotas(L_F678F1CE=others)
    answer = preflight(by_the_hour())
    assert f"1 needed of {others}, {others} in use by others" in seen(answer)
    assert answer.code == 1


SUBNETS = {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"}


@pytest.mark.parametrize(
    ("settings", "said", "unsaid", "fix"),
    [
        pytest.param(
            _cluster(network={"zones": ["us-east-1a", "us-east-1b"]}),
            ("good zones of the control plane us-east-1a (use1-az6), us-east-1b (use1-az1)",),
            ("kernel 6.18", "FSx"),
            "",
            id="zones are named with their ids",
        ),
        pytest.param(
            _cluster(network={"zones": ["us-east-1a", "us-east-1e"]}),
            ("EKS takes no subnet in us-east-1e (use1-az3)",),
            (),
            "zones of the control plane: cluster.network.zones: others of us-east-1a, us-east-1b, "
            "us-east-1c, us-east-1d, us-east-1f\n",
            id="a zone that EKS excludes",
        ),
        pytest.param(
            _cluster(network={"zones": ["us-east-1a", "us-east-1g"]}),
            ("this account has no us-east-1g",),
            (),
            "zones of the control plane: ",
            id="a zone that the account does not have",
        ),
        pytest.param(
            _cluster(version="1.36"),
            ("unknown FSx for Lustre with Kubernetes 1.36 nodes have kernel 6.18",),
            (),
            "",
            id="a kernel on which nobody knows whether Lustre's client runs",
        ),
        pytest.param(
            merged(by_the_hour(), {"modelCache": {"storage": {"kind": "efs"}}}),
            (),
            ("FSx",),
            "",
            id="no file system of FSx",
        ),
        pytest.param(
            _cluster(
                network={"kind": "existing", "vpcId": "vpc-01234567", "subnets": SUBNETS, "zones": None}
            ),
            ("vpc-01234567 has no such subnet",),
            ("elastic IPs", "VPCs"),
            "subnet subnet-01234567",
            id="an adopted network needs neither address nor VPC",
        ),
        pytest.param(
            by_the_hour(),
            ("unknown API server from here open to 203.0.113.9/32 and the VPC; `curl https://checkip",),
            (),
            "",
            id="an API server that some addresses reach",
        ),
        pytest.param(
            _cluster(publicCidrs=[]),
            (),
            (),
            'API server from here: cluster.publicCidrs: ["ADDRESS/32"]; `curl https://checkip',
            id="an API server that nobody reaches in a VPC that is yet to be made",
        ),
        pytest.param(
            by_the_hour(purchase={"kind": "spot"}),
            (),
            ("L-7212CCBC",),
            "",
            id="Spot of P6",
        ),
        pytest.param(
            _cluster(systemNodes={"instanceType": "m99.large"}),
            ("wrong system nodes: m99.large not offered in us-east-1a, us-east-1b",),
            (),
            "system nodes: m99.large: cluster.systemNodes.instanceType: another one",
            id="system nodes that the zones of the control plane do not have",
        ),
        pytest.param(
            by_the_hour(zone="us-east-1b"),
            ("p6-b200.48xlarge in us-east-1b not offered",),
            (),
            "pool b200: p6-b200.48xlarge in us-east-1b: nodePools[].zone: one of us-east-1a\n",
            id="a zone without the type",
        ),
        pytest.param(
            _cluster(accountId="210987654321"),
            ("the credentials are of 123456789012", "stack dev: 1 wrong, 0 unknown of 1 answers"),
            (),
            "account: credentials of 210987654321\n",
            id="with credentials of another account nothing else is said",
        ),
    ],
)
def test_settings_are_held_against_what_the_account_has(
    preflight: Preflight,
    settings: dict[str, Any],
    said: tuple[str, ...],
    unsaid: tuple[str, ...],
    fix: str,
) -> None:
    answer = preflight(settings)
    shown = seen(answer)
    assert answer.code == (1 if fix else 0), shown
    assert [part for part in said if part not in shown] == []
    assert [part for part in unsaid if part in shown] == []
    assert f"fix {fix}" in answer.out or not fix


@pytest.mark.parametrize("version", sorted(versions.EKS_ADDONS))
def test_eks_has_every_pinned_build_of_every_version_that_can_be_typed(
    preflight: Preflight, version: str
) -> None:
    answer = preflight(_cluster(version=version))
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
