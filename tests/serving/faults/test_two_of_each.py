"""What clients lose of a stack with two frontends and two workers of each kind."""

from collections.abc import Callable
from typing import Any

import pytest

from lab import processes
from tests.serving.faults.measure import GRAPH, NAMESPACE, STREAMS, Bench

pytestmark = pytest.mark.lab
# One of them is tried with every change, the rest where it is measured. Chance decides what a killed
# worker costs: the frontend tries an answer three times again, and each attempt may meet the dead worker.
MEASURED = pytest.mark.measured

NATS = tuple(f"dynamo-nats-{number}" for number in range(3))
ON_BUSY_MACHINES = 3.0
"""By so much a step may take longer here than on a machine that does nothing else."""
DISCOVERY_SECONDS = 2.0
"""From a process's end until frontends send it nothing more: a pod's status, an EndpointSlice, a watch."""


def _new_engine_option(bench: Bench) -> None:
    batch = {"max_batch_size": 512}
    options = {**batch, "cuda_graph_config": batch}
    bench.stack.change_settings(lambda settings: settings["serving"]["overrides"]["decode"].update(options))
    bench.stack.pulumi("up", "--yes", "--skip-preview")


def _roll_frontend(bench: Bench) -> None:
    deployment = f"deployment/{GRAPH}-frontend"
    bench.stack.lab.kubectl("rollout", "restart", "-n", NAMESPACE, deployment)
    bench.stack.lab.kubectl("rollout", "status", "-n", NAMESPACE, deployment)


FINISHES = {"bound": "a pod finishes its answers"}
WITHOUT_NATS = {"bound": "pods serve on without it", "page": "nats-member-lost"}
# A fault of which no client loses anything, how it happens, and what is said of it.
HARMLESS: tuple[tuple[str, Callable[[Bench], object], dict[str, Any]], ...] = (
    ("a decode worker is told to end", lambda bench: bench.delete(bench.pods("decode")[0]), FINISHES),
    (
        "a decode worker is killed",
        lambda bench: bench.kill(bench.pods("decode")[0]),
        {"bound": "nothing, its answers go on at another"},
    ),
    ("one member of NATS is killed", lambda bench: bench.kill(NATS[0]), WITHOUT_NATS),
    ("all of NATS is killed", lambda bench: bench.kill(*NATS), WITHOUT_NATS),
    ("a prefill worker is told to end", lambda bench: bench.delete(bench.pods("prefill")[0]), FINISHES),
    ("the frontend is rolled, a connection for each request", _roll_frontend, FINISHES | {"keeps": False}),
    ("a new engine option, by up", _new_engine_option, {"bound": "without an interruption"}),
)


@pytest.mark.parametrize(
    ("fault", "happens", "said"),
    [
        pytest.param(*each, marks=MEASURED if number else pytest.mark.slow, id=each[0])
        for number, each in enumerate(HARMLESS)
    ],
)
def test_no_request_is_lost_where_another_pod_or_what_runs_goes_on(
    two_of_each: Bench, fault: str, happens: Callable[[Bench], object], said: dict[str, Any]
) -> None:
    row = two_of_each.under_load(fault, lambda: happens(two_of_each), **said)
    assert row.lost == 0, row


@MEASURED
def test_an_operator_that_dies_loses_nothing(two_of_each: Bench) -> None:
    lab = two_of_each.stack.lab.directory
    row = two_of_each.under_load(
        "the operator is killed",
        lambda: processes.stop(lab, processes.OPERATOR),
        bound="nothing that runs stops",
        page="operator-gone",
    )
    assert processes.start(lab, processes.OPERATOR)
    assert row.lost == 0, row


@MEASURED
def test_a_prefill_worker_that_dies_loses_the_prompts_that_reach_it_until_discovery_has_seen_it(
    two_of_each: Bench,
) -> None:
    row = two_of_each.under_load(
        "a prefill worker is killed",
        lambda: two_of_each.kill(two_of_each.pods("prefill")[0]),
        bound="its prompts",
    )
    assert row.lost == 0 or "Prefill execution failed" in row.why, row
    assert row.served_again <= DISCOVERY_SECONDS * ON_BUSY_MACHINES, row


@MEASURED
def test_a_frontend_that_dies_loses_its_own_answers_and_the_other_serves_on(two_of_each: Bench) -> None:
    row = two_of_each.under_load(
        "a frontend is killed",
        lambda: two_of_each.kill(two_of_each.pods("frontend")[0]),
        bound="its answers",
    )
    # Connections break; the other frontend answers none with an error.
    assert not row.why.startswith("HTTP"), row
    assert row.served_again <= DISCOVERY_SECONDS * ON_BUSY_MACHINES, row


@MEASURED
def test_a_frontend_that_is_rolled_loses_at_most_a_request_of_each_connection_that_is_kept(
    two_of_each: Bench,
) -> None:
    row = two_of_each.under_load(
        "the frontend is rolled, connections are kept",
        lambda: _roll_frontend(two_of_each),
        bound="a pod finishes its answers",
    )
    assert row.lost_in_flight == 0, row
    # The runtime of 1.2 ends with its HTTP server: a request that it takes in that moment finds no worker.
    assert row.lost <= STREAMS // 2, row
