"""What was bought, and whether it is there now: `dynamo-stack preflight` against the lab's account."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from tests.cli.documents.schemas import read_document
from tests.operations.preflight.account import BLOCK, REGION, Account, at
from tests.operations.preflight.stacks import WEEK, by_the_hour, in_a_block, seen
from tests.support.eks_settings import eks_gb200_settings

Preflight = Any


def test_a_block_in_its_window_is_good_and_has_its_price(account: Account, preflight: Preflight) -> None:
    starts = at(-1)
    account.bought(starts, at(WEEK))
    answer = preflight(in_a_block(starts))
    shown = seen(answer)
    assert answer.code == 0, shown
    assert "good account 123456789012, us-east-1" in shown
    assert "good pool b200: p6-b200.48xlarge in us-east-1a offered" in shown
    assert f"pool b200: {BLOCK} 1 x p6-b200.48xlarge in us-east-1a, 1 free; the pool takes 1" in shown
    assert f"active from {starts} to {at(WEEK)[:13]}" in shown
    # A week of eight GPUs.
    assert ", 169 h of 8 GPUs for $16,704;" in shown
    assert "good system nodes: m7g.2xlarge offered in us-east-1a, us-east-1b" in shown
    assert "phase active is due" in shown
    # Eight GPUs at $12.355.
    assert (
        "price of pool b200: 8 GPUs, Capacity Block: $98.84 an hour at $12.355 a GPU "
        "(https://aws.amazon.com/ec2/capacityblocks/pricing/, 2026-07-01"
    ) in shown
    # The account's own price, of this day: $100 an instance-hour in the simulated one.
    assert "a new block for pool b200, 1 x p6-b200.48xlarge for 24 h: 2,400.00 USD up front" in shown
    assert "12.500 a GPU-hour, from " in shown
    assert "idle in pool b200: 3 of 8 GPUs idle, $37.06 an hour" in shown
    assert "stack dev: 0 wrong, 2 unknown of 12 answers" in shown


def test_a_program_reads_the_same_answers_and_their_fixes(account: Account, preflight: Preflight) -> None:
    starts = at(WEEK)
    account.bought(starts, at(2 * WEEK), State="scheduled")
    shown, answer = preflight(in_a_block(starts)), preflight(in_a_block(starts), "--json")
    assert (answer.code, answer.err) == (shown.code, "")
    document = read_document("preflight", answer.out)
    assert (document["stack"], document["region"], document["wrong"]) == ("dev", REGION, 1)
    [wrong] = [each for each in document["answers"] if each["verdict"] == "wrong"]
    assert wrong["fix"] == "purchase.phase: waiting"
    assert any(text.startswith("price of pool b200: 8 GPUs") for text in document["remarks"])


@pytest.mark.parametrize(("hours", "typed", "due"), [(WEEK, "active", "waiting"), (-1, "waiting", "active")])
def test_the_phase_that_is_due_is_named_where_another_is_typed(
    account: Account, preflight: Preflight, hours: float, typed: str, due: str
) -> None:
    starts = at(hours)
    state = "scheduled" if due == "waiting" else "active"
    account.bought(starts, at(hours + WEEK), State=state)
    answer = preflight(in_a_block(starts, typed))
    assert answer.code == 1
    shown = seen(answer)
    assert f"phase {due} is due, {typed} is typed" in shown
    assert ("`up` fails after 20 minutes without nodes" in shown) is (due == "waiting")
    assert f"fix pool b200: {BLOCK}: purchase.phase: {due}\n" in answer.out
    assert "1 wrong" in shown


def test_a_pool_that_is_emptied_on_purpose_is_good_and_the_phase_that_is_due_is_named(
    account: Account, preflight: Preflight
) -> None:
    starts = at(-1)
    account.bought(starts, at(WEEK))
    answer = preflight(in_a_block(starts, "empty"))
    assert answer.code == 0
    assert "the pool is emptied on purpose, and phase active is due" in seen(answer)


def test_a_block_before_its_window_is_good_for_a_pool_that_waits(
    account: Account, preflight: Preflight
) -> None:
    account.bought(at(WEEK), at(2 * WEEK), State="scheduled")
    opens = at(WEEK)
    answer = preflight(in_a_block(opens, "waiting"))
    assert "phase waiting is due" in seen(answer)
    assert f"no graph yet: pool b200 has no node before its Capacity Block {BLOCK} opens at {opens}" in seen(
        answer
    )


def test_a_block_is_over_when_eks_begins_to_drain_its_nodes(account: Account, preflight: Preflight) -> None:
    starts = at(-WEEK)
    account.bought(starts, at(0.6))
    answer = preflight(in_a_block(starts))
    assert answer.code == 1
    assert "over, or so near that EKS drains it" in seen(answer)
    assert f"fix pool b200: {BLOCK}: buy another, and type its id" in answer.out
    account.bought(starts, at(0.8))
    assert preflight(in_a_block(starts)).code == 0


def test_another_end_than_the_one_that_is_typed_is_wrong(account: Account, preflight: Preflight) -> None:
    starts, ends = at(-1), at(WEEK)
    account.bought(starts, ends)
    settings = in_a_block(starts)
    settings["nodePools"][0]["purchase"]["ends"] = at(2 * WEEK)
    answer = preflight(settings)
    assert answer.code == 1
    assert f'its end: purchase.ends: "{ends}"' in seen(answer)


def test_another_start_than_the_one_that_is_typed_is_wrong(account: Account, preflight: Preflight) -> None:
    starts = at(-1)
    account.bought(starts, at(WEEK))
    answer = preflight(in_a_block("2026-01-01T11:30:00Z"))
    assert answer.code == 1
    assert "typed is 2026-01-01T11:30:00Z" in seen(answer)
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
    answer = preflight(in_a_block(starts))
    assert answer.code == 1
    assert says in seen(answer)
    assert f"fix pool b200: {BLOCK}: {fix}\n" in answer.out


def test_a_block_that_is_not_paid_yet_is_unknown(account: Account, preflight: Preflight) -> None:
    account.bought(at(-1), at(WEEK), State="payment-pending")
    answer = preflight(in_a_block(at(-1)))
    assert "is payment-pending: ask again later" in seen(answer)
    assert answer.code == 0


def test_a_reservation_has_no_phase(account: Account, preflight: Preflight) -> None:
    account.bought(at(-1), at(WEEK), ReservationType="default")
    settings = in_a_block(at(-1))
    settings["nodePools"][0]["purchase"] = {"kind": "reservation", "id": BLOCK}
    answer = preflight(settings)
    shown = seen(answer)
    assert (answer.code, "phase" in shown) == (0, False)
    assert "8 GPUs, reservation: $113.93 an hour" in shown


@pytest.mark.parametrize(
    ("made_in", "typed", "fix"),
    [
        ("ours", None, "purchase.placementGroup: ours"),
        ("ours", "theirs", "purchase.placementGroup: ours"),
        (None, "theirs", "leave purchase.placementGroup out"),
        ("ours", "ours", None),
    ],
)
def test_a_reservation_is_launched_in_the_placement_group_that_it_was_made_in(
    account: Account, preflight: Preflight, made_in: str | None, typed: str | None, fix: str | None
) -> None:
    arn = f"arn:aws:ec2:us-east-1:123456789012:placement-group/{made_in}"
    account.bought(
        at(-1), at(WEEK), ReservationType="default", **({"PlacementGroupArn": arn} if made_in else {})
    )
    settings = in_a_block(at(-1))
    purchase = {"kind": "reservation", "id": BLOCK, **({"placementGroup": typed} if typed else {})}
    settings["nodePools"][0]["purchase"] = purchase
    answer = preflight(settings)
    assert answer.code == (1 if fix else 0)
    assert (f"fix pool b200: {BLOCK}: {fix}\n" in answer.out) is bool(fix)


def test_a_zone_without_the_type_is_wrong_and_others_are_named(
    account: Account, preflight: Preflight
) -> None:
    answer = preflight(in_a_block(at(-1), zone="us-east-1b"))
    assert answer.code == 1
    assert "p6-b200.48xlarge in us-east-1b not offered" in seen(answer)
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
    settings["cluster"]["publicCidrs"] = ["203.0.113.9/32"]
    settings["nodePools"][0]["purchase"]["starts"] = starts
    answer = preflight(settings)
    shown = seen(answer)
    assert answer.code == 0, shown
    assert "`up` opts in to zone group us-east-1-dfw-2; ask again after it" in shown
    assert "9 x p6e-gb200.36xlarge in us-east-1-dfw-2a" in shown
    assert "$84.66 an hour at $10.582 a GPU (https://aws" in shown
    # Nine trays of four GPUs, which are sold together.
    assert "a new block for pool gb200, u-p6e-gb200x36 for 24 h: 21,600.00 USD up front" in shown
    assert "25.000 a GPU-hour, from" in shown
    assert (
        "u-p6e-gb200x36, the least that is sold, $380.95 an hour: 31 of 36 GPUs idle, $328.04 an hour, "
        "7 trays outside the pool"
    ) in shown


@pytest.mark.parametrize(("day", "old"), [("2026-09-30", False), ("2026-10-02", True)])
def test_a_price_that_is_older_than_a_quarter_says_so(
    account: Account, preflight: Preflight, monkeypatch: pytest.MonkeyPatch, day: str, old: bool
) -> None:
    account.bought(at(-1), at(WEEK))
    seconds = dt.datetime.fromisoformat(f"{day}T00:00:00Z").timestamp()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(seconds)))
    shown = seen(preflight(in_a_block(at(-1))))
    assert ("2026-07-01, more than a quarter old)" in shown) is old
    assert ("2026-07-01)" in shown) is not old


def test_spot_has_no_published_price(account: Account, preflight: Preflight) -> None:
    shown = seen(preflight(by_the_hour("spot")))
    assert "pool b200: 8 GPUs, Spot: no published price" in shown
    assert "a new block" not in shown


def test_system_nodes_are_asked_for_in_the_zones_of_the_control_plane(
    account: Account, preflight: Preflight
) -> None:
    account.bought(at(-1), at(WEEK))
    settings = in_a_block(at(-1))
    settings["cluster"]["systemNodes"] = {"instanceType": "m99.large"}
    answer = preflight(settings)
    assert answer.code == 1
    assert "wrong system nodes: m99.large not offered in us-east-1a, us-east-1b" in seen(answer)
    assert "fix system nodes: m99.large: cluster.systemNodes.instanceType: another one" in answer.out


def test_a_block_whose_instances_others_hold_is_an_open_question(
    account: Account, preflight: Preflight
) -> None:
    starts = at(-1)
    account.bought(starts, at(WEEK), AvailableInstanceCount=0)
    shown = seen(preflight(in_a_block(starts)))
    assert (
        f"unknown pool b200: {BLOCK} 1 x p6-b200.48xlarge in us-east-1a, 0 free; the pool takes 1: enough "
        "only if this stack's own nodes hold the rest"
    ) in shown
