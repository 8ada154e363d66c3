"""`dynamo-stack preflight` against the lab's account: what it finds, what it says, how it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import RULES
from tests.cli.command import Answer, Command, squeezed, write_stack
from tests.cli.preflight.account import BLOCK, Account, at
from tests.support.dev_settings import disagg_b200_settings
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Preflight = Any
WEEK = 7 * 24


def _settings() -> dict[str, Any]:
    settings = eks_b200_settings()
    # Where the simulated region offers the type.
    settings["nodePools"][0]["zone"] = "us-east-1a"
    return settings


def _stack(starts: str, phase: str = "active", **pool: Any) -> dict[str, Any]:
    settings = _settings()
    settings["nodePools"][0]["purchase"] |= {"starts": starts, "phase": phase}
    settings["nodePools"][0] |= pool
    return settings


def _by_the_hour(kind: str = "onDemand") -> dict[str, Any]:
    settings = _settings()
    settings["nodePools"][0]["purchase"] = {"kind": kind}
    return settings


def _seen(answer: Answer) -> str:
    assert answer.err == ""
    return squeezed(answer.out)


def test_a_block_in_its_window_is_good_and_has_its_price(account: Account, preflight: Preflight) -> None:
    starts = at(-1)
    account.bought(starts, at(WEEK))
    answer = preflight(_stack(starts))
    shown = _seen(answer)
    assert answer.code == 0, shown
    assert "good account 123456789012, us-east-1" in shown
    assert "good pool b200: p6-b200.48xlarge in us-east-1a offered" in shown
    assert f"pool b200: {BLOCK} 1 x p6-b200.48xlarge in us-east-1a, 1 free; the pool takes 1" in shown
    assert f"active from {starts} to {at(WEEK)[:13]}" in shown
    assert "phase active is due" in shown
    # Eight GPUs at $12.355.
    assert "pool b200: 8 GPUs, Capacity Block: $98.84 an hour at $12.355 a GPU (2026-07-01)" in shown
    assert "stack dev: 0 wrong, 0 unknown of 6 answers" in shown


@pytest.mark.parametrize(("hours", "typed", "due"), [(WEEK, "active", "waiting"), (-1, "waiting", "active")])
def test_the_phase_that_is_due_is_named_where_another_is_typed(
    account: Account, preflight: Preflight, hours: float, typed: str, due: str
) -> None:
    starts = at(hours)
    state = "scheduled" if due == "waiting" else "active"
    account.bought(starts, at(hours + WEEK), State=state)
    answer = preflight(_stack(starts, typed))
    assert answer.code == 1
    shown = _seen(answer)
    assert f"phase {due} is due, {typed} is typed" in shown
    assert f"fix pool b200: {BLOCK}: purchase.phase: {due}\n" in answer.out
    assert "1 wrong" in shown


def test_a_block_before_its_window_is_good_for_a_pool_that_waits(
    account: Account, preflight: Preflight
) -> None:
    account.bought(at(WEEK), at(2 * WEEK), State="scheduled")
    answer = preflight(_stack(at(WEEK), "waiting"))
    assert "phase waiting is due" in _seen(answer)


def test_a_block_is_over_when_eks_begins_to_drain_its_nodes(account: Account, preflight: Preflight) -> None:
    starts = at(-WEEK)
    account.bought(starts, at(0.6))
    answer = preflight(_stack(starts))
    assert answer.code == 1
    assert "over, or so near that EKS drains it" in _seen(answer)
    assert f"fix pool b200: {BLOCK}: buy another, and type its id" in answer.out
    account.bought(starts, at(0.8))
    assert preflight(_stack(starts)).code == 0


def test_another_start_than_the_one_that_is_typed_is_wrong(account: Account, preflight: Preflight) -> None:
    starts = at(-1)
    account.bought(starts, at(WEEK))
    answer = preflight(_stack("2026-01-01T11:30:00Z"))
    assert answer.code == 1
    assert "typed is 2026-01-01T11:30:00Z" in _seen(answer)
    assert f'fix pool b200: {BLOCK}: purchase.starts: "{starts}"\n' in answer.out


@pytest.mark.parametrize(
    ("changes", "says", "fix"),
    [
        ({"InstanceType": "p6-b300.48xlarge"}, "is for p6-b300.48xlarge", "one for p6-b200.48xlarge"),
        ({"AvailabilityZone": "us-east-1b"}, "is in us-east-1b", "nodePools[].zone: us-east-1b"),
        (
            {"TotalInstanceCount": 0},
            "has 0 instances, the pool 1 node",
            "nodePools[].nodes: 0, or a larger one",
        ),
        ({"State": "expired"}, "is expired", "buy another, and type its id"),
        ({"State": "payment-failed"}, "is payment-failed", "buy another, and type its id"),
        (
            {"ReservationType": "default"},
            "is a capacity reservation without a window",
            "purchase.kind: reservation",
        ),
        (
            {"CapacityReservationId": "cr-fedcba9876543210f"},
            "no such reservation in this account and region",
            "`aws ec2 describe-capacity-reservations` has ids for purchase.id",
        ),
    ],
)
def test_a_block_that_is_not_what_the_pool_needs_is_wrong(
    account: Account, preflight: Preflight, changes: dict[str, Any], says: str, fix: str
) -> None:
    starts = at(-1)
    account.bought(starts, at(WEEK), **changes)
    answer = preflight(_stack(starts))
    assert answer.code == 1
    assert says in _seen(answer)
    assert f"fix pool b200: {BLOCK}: {fix}\n" in answer.out


def test_a_block_that_is_not_paid_yet_is_unknown(account: Account, preflight: Preflight) -> None:
    account.bought(at(-1), at(WEEK), State="payment-pending")
    answer = preflight(_stack(at(-1)))
    assert "is payment-pending: ask again later" in _seen(answer)
    assert answer.code == 0


def test_a_reservation_has_no_phase(account: Account, preflight: Preflight) -> None:
    account.bought(at(-1), at(WEEK), ReservationType="default")
    settings = _stack(at(-1))
    settings["nodePools"][0]["purchase"] = {"kind": "reservation", "id": BLOCK}
    answer = preflight(settings)
    shown = _seen(answer)
    assert (answer.code, "phase" in shown) == (0, False)
    assert "8 GPUs, reservation: $113.93 an hour" in shown


def test_a_zone_without_the_type_is_wrong_and_others_are_named(
    account: Account, preflight: Preflight
) -> None:
    answer = preflight(_stack(at(-1), zone="us-east-1b"))
    assert answer.code == 1
    assert "p6-b200.48xlarge in us-east-1b not offered" in _seen(answer)
    assert "nodePools[].zone: one of us-east-1a\n" in answer.out


def test_trays_are_in_a_zone_that_up_opts_in_to_and_sold_by_the_rack(
    account: Account, preflight: Preflight
) -> None:
    starts = at(-1)
    account.bought(
        starts,
        at(WEEK),
        InstanceType="p6e-gb200.36xlarge",
        AvailabilityZone="us-east-1-dfw-2a",
        TotalInstanceCount=9,
    )
    settings = eks_gb200_settings()
    settings["nodePools"][0]["purchase"]["starts"] = starts
    answer = preflight(settings)
    shown = _seen(answer)
    assert answer.code == 0, shown
    assert "`up` opts in to zone group us-east-1-dfw-2; ask again after it" in shown
    assert "9 x p6e-gb200.36xlarge in us-east-1-dfw-2a" in shown
    assert "$84.66 an hour at $10.582 a GPU (2026-07-01)" in shown
    assert "u-p6e-gb200x36 is the least that is sold, $380.95 an hour" in shown


@pytest.mark.parametrize(("kind", "code"), [("onDemand", "L-417A185B"), ("spot", "L-7212CCBC")])
def test_vcpus_that_the_account_may_not_run_are_wrong(
    account: Account, preflight: Preflight, kind: str, code: str
) -> None:
    account.quotas(**{code.replace("-", "_"): 191})
    answer = preflight(_by_the_hour(kind))
    assert answer.code == 1
    shown = _seen(answer)
    assert "192 needed of 191, what runs not counted" in shown
    assert f"--service-code ec2 --quota-code {code} --desired-value 192\n" in answer.out
    account.quotas(**{code.replace("-", "_"): 192})
    assert preflight(_by_the_hour(kind)).code == 0


def test_pools_share_a_quota(account: Account, preflight: Preflight) -> None:
    account.quotas(L_417A185B=300)
    settings = _by_the_hour()
    settings["nodePools"].append(
        settings["nodePools"][0] | {"name": "spare", "labels": {"example.com/pool": "spare"}}
    )
    settings["nodePools"][0] |= {"labels": {"example.com/pool": "first"}}
    assert "384 needed of 300" in _seen(preflight(settings))


def test_spot_has_no_published_price(account: Account, preflight: Preflight) -> None:
    assert "pool b200: 8 GPUs, Spot: no published price" in _seen(preflight(_by_the_hour("spot")))


def test_addresses_of_others_count_and_the_stack_s_own_do_not(account: Account, preflight: Preflight) -> None:
    account.quotas(L_0263D0A3=5)
    with account.addresses(4), account.addresses(1, "gpt-oss"):
        answer = preflight(_by_the_hour())
        assert "1 needed of 5, 4 in use by others" in _seen(answer)
        assert answer.code == 0
        settings = _by_the_hour()
        settings["cluster"]["network"]["natPerZone"] = True
        answer = preflight(settings)
        assert "2 needed of 5, 4 in use by others" in _seen(answer)
        assert answer.code == 1


def test_an_adopted_network_needs_neither_address_nor_vpc(account: Account, preflight: Preflight) -> None:
    settings = _by_the_hour()
    subnets = {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"}
    settings["cluster"]["network"] = {"kind": "existing", "vpcId": "vpc-01234567", "subnets": subnets}
    shown = _seen(preflight(settings))
    assert "elastic IPs" not in shown
    assert "VPCs" not in shown


def test_the_account_s_own_vpc_leaves_no_room_in_a_quota_of_one(
    account: Account, preflight: Preflight
) -> None:
    account.quotas(L_F678F1CE=1)
    answer = preflight(_by_the_hour())
    assert "1 needed of 1, 1 in use by others" in _seen(answer)
    assert answer.code == 1


def test_with_credentials_of_another_account_nothing_else_is_said(
    account: Account, preflight: Preflight
) -> None:
    settings = _by_the_hour()
    settings["cluster"]["accountId"] = "210987654321"
    answer = preflight(settings)
    shown = _seen(answer)
    assert answer.code == 1
    assert "the credentials are of 123456789012" in shown
    assert "fix account: credentials of 210987654321\n" in answer.out
    assert "stack dev: 1 wrong, 0 unknown of 1 answers" in shown


def test_without_credentials_it_says_how_to_get_them(
    account: Account, preflight: Preflight, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    answer = preflight(_by_the_hour())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "preflight asks the account, and there are no credentials: `aws sso login`, or AWS_PROFILE\n"
    )


def test_a_profile_that_does_not_exist_is_named(
    account: Account, preflight: Preflight, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "typo")
    answer = preflight(_by_the_hour())
    assert (answer.code, answer.out) == (2, "")
    assert "AWS cannot be asked" in answer.err
    assert "typo" in answer.err


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, str], None]:
    """Lets AWS refuse an operation, as it does when credentials lack the right or have run out."""

    def refused(service: str, operation: str, code: str) -> None:
        def rule(place: object, given: dict[str, Any]) -> None:
            raise Refused(code, "You are not authorized to perform this operation.")

        monkeypatch.setitem(RULES, (service, operation), [rule])

    return refused


@pytest.mark.parametrize(
    ("service", "operation", "code", "asked"),
    [
        ("ec2", "DescribeCapacityReservations", "UnauthorizedOperation", "pool b200: capacity"),
        (
            "ec2",
            "DescribeInstanceTypeOfferings",
            "UnauthorizedOperation",
            "pool b200: p6-b200.48xlarge in us",
        ),
        ("service-quotas", "GetServiceQuota", "AccessDeniedException", "quota: VPCs"),
    ],
)
def test_what_the_credentials_may_not_ask_is_unknown_and_the_rest_is_answered(
    account: Account, preflight: Preflight, refuse: Any, service: str, operation: str, code: str, asked: str
) -> None:
    account.bought(at(-1), at(WEEK))
    refuse(service, operation, code)
    answer = preflight(_stack(at(-1)))
    shown = _seen(answer)
    assert f"unknown {asked}" in shown
    assert f"these credentials may not {service}:{operation}" in shown
    assert "good account" in shown


def test_another_refusal_is_unknown_with_its_request(
    account: Account, preflight: Preflight, refuse: Any
) -> None:
    refuse("service-quotas", "GetServiceQuota", "NoSuchResourceException")
    shown = _seen(preflight(_by_the_hour()))
    assert "service-quotas:GetServiceQuota ends in NoSuchResourceException (request " in shown


def test_credentials_that_have_run_out_end_it(account: Account, preflight: Preflight, refuse: Any) -> None:
    refuse("sts", "GetCallerIdentity", "ExpiredToken")
    answer = preflight(_by_the_hour())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "AWS refuses the credentials (ExpiredToken): `aws sso login` again, or AWS_PROFILE\n"


def test_nothing_is_written_to_the_account(account: Account, preflight: Preflight) -> None:
    account.bought(at(-1), at(WEEK))
    before = len((account.folder / "requests.jsonl").read_text(encoding="utf-8").splitlines())
    preflight(_stack(at(-1)))
    lines = (account.folder / "requests.jsonl").read_text(encoding="utf-8").splitlines()[before:]
    assert lines
    assert all('"operation": "Describe' in line or '"operation": "Get' in line for line in lines)


def test_a_stack_on_a_cluster_that_exists_has_nothing_to_ask(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, disagg_b200_settings())
    answer = command("preflight", "dev", folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "stack dev uses a cluster that exists: there is nothing to ask an account\n"
