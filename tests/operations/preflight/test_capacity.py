"""What was bought, and whether it is there now: `dynamo-stack preflight` against the lab's account."""

from typing import Any

import pytest

from tests.cli.command import read_document
from tests.operations.preflight.conftest import (
    BLOCK,
    REGION,
    WEEK,
    Account,
    Preflight,
    at,
    by_the_hour,
    in_a_block,
    seen,
)
from tests.support.eks_settings import eks_gb200_settings

NONE_FREE = "0 free; the pool takes 1: enough only if this stack's own nodes hold the rest"


def test_a_block_in_its_window_is_good(account: Account, preflight: Preflight) -> None:
    starts = at(-1)
    account.bought(starts, at(WEEK))
    answer = preflight(in_a_block(starts))
    shown = seen(answer)
    assert answer.code == 0, shown
    assert "good account 123456789012, us-east-1" in shown
    assert "good pool b200: p6-b200.48xlarge in us-east-1a offered" in shown
    assert f"pool b200: {BLOCK} 1 x p6-b200.48xlarge in us-east-1a, 1 free; the pool takes 1" in shown
    assert f"active from {starts} to {at(WEEK)[:13]}" in shown
    assert "good system nodes: m7g.2xlarge offered in us-east-1a, us-east-1b" in shown
    assert "phase active is due" in shown
    assert "stack dev: 0 wrong, 1 unknown of 11 answers" in shown


def test_a_program_reads_the_same_answers_and_their_fixes(account: Account, preflight: Preflight) -> None:
    starts = at(WEEK)
    account.bought(starts, at(2 * WEEK), State="scheduled")
    shown, answer = preflight(in_a_block(starts)), preflight(in_a_block(starts), "--json")
    assert (answer.code, answer.err) == (shown.code, "")
    document = read_document("preflight", answer.out)
    assert (document["stack"], document["region"], document["wrong"]) == ("dev", REGION, 1)
    [wrong] = [each for each in document["answers"] if each["verdict"] == "wrong"]
    assert wrong["fix"] == "purchase.phase: waiting"
    assert document["remarks"] == []


@pytest.mark.parametrize(
    ("hours", "bought", "typed", "code", "says", "fix"),
    [
        pytest.param(
            (WEEK, 2 * WEEK),
            {"State": "scheduled"},
            {"phase": "active"},
            1,
            "phase waiting is due, active is typed: nothing starts before the window, and `up` fails after",
            "purchase.phase: waiting",
            id="up before its window",
        ),
        pytest.param(
            (-1, WEEK),
            {},
            {"phase": "waiting"},
            1,
            "phase active is due, waiting is typed",
            "purchase.phase: active",
            id="a pool that waits in its window",
        ),
        pytest.param(
            (WEEK, 2 * WEEK),
            {"State": "scheduled"},
            {"phase": "waiting"},
            0,
            f"no graph yet: pool b200 has no node before its Capacity Block {BLOCK} opens at {{starts}}",
            "",
            id="a pool that waits before its window",
        ),
        pytest.param(
            (-1, WEEK),
            {},
            {"phase": "empty"},
            0,
            "the pool is emptied on purpose, and phase active is due",
            "",
            id="a pool that is emptied on purpose",
        ),
        pytest.param(
            (-WEEK, 0.6),
            {},
            {},
            1,
            "over, or so near that EKS drains it",
            "buy another, and type its id",
            id="36 minutes before its end",
        ),
        pytest.param((-WEEK, 0.8), {}, {}, 0, "phase active is due", "", id="48 minutes before its end"),
        pytest.param(
            (-1, WEEK),
            {},
            {"starts": "2026-01-01T11:30:00Z"},
            1,
            "typed is 2026-01-01T11:30:00Z",
            'purchase.starts: "{starts}"',
            id="another start",
        ),
        pytest.param(
            (-1, WEEK),
            {},
            {"ends": at(2 * WEEK)},
            1,
            "its end typed is ",
            'its end: purchase.ends: "{ends}"',
            id="another end",
        ),
        pytest.param(
            (-1, WEEK),
            {"InstanceType": "p6-b300.48xlarge"},
            {},
            1,
            "is for p6-b300.48xlarge",
            "one for p6-b200.48xlarge",
            id="another type",
        ),
        pytest.param(
            (-1, WEEK),
            {"AvailabilityZone": "us-east-1b"},
            {},
            1,
            "is in us-east-1b",
            "nodePools[].zone: us-east-1b",
            id="another zone",
        ),
        pytest.param(
            (-1, WEEK),
            {"TotalInstanceCount": 0},
            {},
            1,
            "has 0 instances, the pool 1 node",
            "nodePools[].nodes: 0, or a larger one",
            id="too small",
        ),
        pytest.param((-1, WEEK), {"AvailableInstanceCount": 0}, {}, 0, NONE_FREE, "", id="held by others"),
        pytest.param((-1, WEEK), {"AvailableInstanceCount": None}, {}, 0, NONE_FREE, "", id="none told free"),
        pytest.param(
            (-1, WEEK),
            {"State": "expired"},
            {},
            1,
            "is expired",
            "buy another, and type its id",
            id="expired",
        ),
        pytest.param(
            (-1, WEEK),
            {"State": "payment-pending"},
            {},
            0,
            "is payment-pending: ask again later",
            "",
            id="not paid yet",
        ),
        pytest.param(
            (-1, WEEK),
            {"ReservationType": "default"},
            {},
            1,
            "is a capacity reservation without a window",
            "purchase.kind: reservation",
            id="a reservation",
        ),
        pytest.param(
            (-1, WEEK),
            {"CapacityReservationId": "cr-fedcba9876543210f"},
            {},
            1,
            "no such reservation in this account and region",
            "`aws ec2 describe-capacity-reservations` has ids for purchase.id",
            id="not in this account",
        ),
    ],
)
def test_a_block_is_held_against_what_the_pool_types(
    account: Account,
    preflight: Preflight,
    hours: tuple[float, float],
    bought: dict[str, Any],
    typed: dict[str, str],
    code: int,
    says: str,
    fix: str,
) -> None:
    starts, ends = map(at, hours)
    account.bought(starts, ends, **bought)
    answer = preflight(in_a_block(starts, **typed))
    assert answer.code == code
    assert says.format(starts=starts) in seen(answer)
    assert (f"fix pool b200: {BLOCK}: " in answer.out) is bool(fix)
    if fix:
        assert f"fix pool b200: {BLOCK}: {fix.format(starts=starts, ends=ends)}\n" in answer.out


@pytest.mark.parametrize(
    ("made_in", "typed", "fix"),
    [
        ("ours", None, "purchase.placementGroup: ours"),
        (None, "theirs", "leave purchase.placementGroup out"),
        ("ours", "ours", None),
        (None, None, None),
    ],
)
def test_a_reservation_has_no_phase_and_is_launched_in_the_placement_group_that_it_was_made_in(
    account: Account, preflight: Preflight, made_in: str | None, typed: str | None, fix: str | None
) -> None:
    arn = f"arn:aws:ec2:us-east-1:123456789012:placement-group/{made_in}"
    account.bought(
        at(-1), at(WEEK), ReservationType="default", **({"PlacementGroupArn": arn} if made_in else {})
    )
    purchase = {"kind": "reservation", "id": BLOCK, **({"placementGroup": typed} if typed else {})}
    answer = preflight(by_the_hour(purchase=purchase))
    assert (answer.code, "phase" in seen(answer)) == (1 if fix else 0, False)
    assert (f"fix pool b200: {BLOCK}: {fix}\n" in answer.out) is bool(fix)


def test_trays_are_in_a_zone_that_up_opts_in_to(account: Account, preflight: Preflight) -> None:
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
