"""What clients lose of a stack as it is shipped, with one pod of each kind; discovery is by etcd."""

import re

import pytest

from tests.serving.faults.conftest import STACK
from tests.serving.faults.measure import Bench
from tests.support.waiting import until

# What is lost where there is one of each is a figure for the tables, and no promise.
pytestmark = [pytest.mark.lab, pytest.mark.measured]

ETCD = tuple(f"dynamo-etcd-{number}" for number in range(3))
LEASE_SECONDS = 10.0
"""ETCD_LEASE_TTL of Dynamo 1.2: until then nothing is felt of a lease that is not renewed."""
LAB_START_SECONDS = 60.0
"""Until a mock worker's process is started, again with its back-off, and ready: it loads no model."""


def test_a_frontend_that_dies_is_back_within_the_bound_of_explain(one_of_each: Bench) -> None:
    said = " ".join(one_of_each.stack.dynamo_stack("explain", STACK, "--all").stdout.split())
    [(bound, seconds)] = re.findall(r"the only Frontend: (its answers and (\d+) s of service)", said)
    row = one_of_each.under_load(
        "the frontend is killed",
        lambda: one_of_each.kill(*one_of_each.pods("frontend")),
        bound=bound,
    )
    assert row.lost > 0, row
    assert row.served_again <= float(seconds), row


def test_a_decode_worker_that_dies_takes_its_answers_along(one_of_each: Bench) -> None:
    row = one_of_each.under_load(
        "the decode worker is killed",
        lambda: one_of_each.kill(*one_of_each.pods("decode")),
        bound="its answers and 31 min of service",
    )
    assert row.lost_in_flight > 0, row
    assert 0 < row.served_again <= LAB_START_SECONDS, row


def test_a_drained_decode_worker_finishes_its_answers_and_takes_no_more(one_of_each: Bench) -> None:
    row = one_of_each.under_load(
        "the decode worker is told to end",
        lambda: one_of_each.delete(one_of_each.pods("decode")[0]),
        bound="a pod finishes its answers",
    )
    assert row.lost_in_flight == 0, row
    # Its successor has no GPUs before it is gone.
    assert row.lost_after > 0, row
    assert row.served_again <= LAB_START_SECONDS, row


def test_a_new_engine_option_interrupts_where_a_worker_waits_for_the_old_one(one_of_each: Bench) -> None:
    def fault() -> None:
        batch = {"max_batch_size": 512}
        overrides = {"decode": {**batch, "cuda_graph_config": batch}}
        one_of_each.stack.change_serving(overrides=overrides)
        one_of_each.stack.pulumi("up", "--yes", "--skip-preview")

    row = one_of_each.under_load("a new engine option, by up", fault, bound="about 31 min without service")
    assert row.lost_in_flight == 0, row
    assert 0 < row.served_again <= 2 * LAB_START_SECONDS, row


def test_a_member_of_etcd_that_dies_loses_nothing(one_of_each: Bench) -> None:
    row = one_of_each.under_load(
        "one member of etcd is killed",
        lambda: one_of_each.kill(ETCD[0]),
        bound="two of three members go on",
        page="etcd-member-lost",
        felt=LEASE_SECONDS + 5,
    )
    assert row.lost == 0, row


def test_etcd_that_is_away_for_more_than_its_leases_ends_every_worker_which_then_come_back(
    one_of_each: Bench,
) -> None:
    row = one_of_each.under_load(
        "all of etcd is away for 15 s",
        lambda: one_of_each.keep_away(15, *ETCD),
        bound="more than 10 s stops all workers",
        page="etcd-member-lost",
        felt=LEASE_SECONDS,
    )
    assert row.lost > 0, row
    until(one_of_each.is_whole, "every pod ready again")
