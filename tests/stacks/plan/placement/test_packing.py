"""Workers on the nodes of a pool: every property by arithmetic or by trying all arrangements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stacks.plan.placement.packing import Room, WorkerSet, has_room_wherever_placed, pack

SIZES = st.sampled_from([1, 2, 4, 8])
NODE_GPUS = st.sampled_from([4, 8])
LARGEST_SEARCHED = 4


def _sets(workers: list[tuple[int, int]]) -> list[WorkerSet]:
    return [WorkerSet(f"worker-{index}", gpus, count) for index, (gpus, count) in enumerate(workers)]


def _arrangements(free: tuple[int, ...], pods: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Every way to put the pods on the nodes, one after the other, as free GPUs in order of size."""
    reached = {free}
    for gpus in pods:
        reached = {
            tuple(sorted((*before[:index], room - gpus, *before[index + 1 :])))
            for before in reached
            for index, room in enumerate(before)
            if room >= gpus
        }
    return reached


@given(
    one=st.tuples(SIZES, st.integers(0, 4)),
    other=st.tuples(SIZES, st.integers(0, 4)),
    nodes=st.integers(1, LARGEST_SEARCHED),
    gpus_per_node=NODE_GPUS,
)
def test_room_that_is_promised_is_there_however_the_others_were_placed(
    one: tuple[int, int], other: tuple[int, int], nodes: int, gpus_per_node: int
) -> None:
    surging, neighbour = _sets([one, other])
    if not has_room_wherever_placed(surging, [neighbour], Room(nodes, gpus_per_node)):
        return
    pods = (one[0],) * one[1] + (other[0],) * other[1]
    for free in _arrangements((gpus_per_node,) * nodes, pods):
        assert max(free) >= surging.gpus


SMALL_AND_LARGE = [WorkerSet("small", 3, 2), WorkerSet("large", 5, 2)]
PREFILL = WorkerSet("prefill", 1, 1)
DECODE = WorkerSet("decode", 4, 1)


@pytest.mark.parametrize(
    ("workers", "room", "others", "free"),
    [
        # The small ones first would share a node, and leave the second large one without any.
        pytest.param(SMALL_AND_LARGE, Room(2, 8), {}, {0: 2}, id="the largest first"),
        pytest.param(
            [WorkerSet("prefill", 1, 2), DECODE],
            Room(3, 4, one_pod_per_node=True),
            {},
            {3: 2, 0: 1},
            id="a node each",
        ),
        pytest.param(
            [WorkerSet("prefill", 1, 2), DECODE],
            Room(2, 4, one_pod_per_node=True),
            {},
            None,
            id="fewer nodes than workers",
        ),
        pytest.param(
            [WorkerSet("prefill", 1, 4), DECODE],
            Room(2, 8, different_nodes=True),
            {},
            {4: 2},
            id="those of one kind together",
        ),
        pytest.param(
            [WorkerSet("prefill", 1, 4), DECODE],
            Room(1, 8, different_nodes=True),
            {},
            None,
            id="two kinds, one node",
        ),
        pytest.param(
            [PREFILL, DECODE], Room(2, 8, different_nodes=True), {7: 2}, {6: 1, 3: 1}, id="beside others"
        ),
        # What the first leaves free on its node is no room for the second.
        pytest.param(
            [PREFILL, DECODE], Room(2, 8, different_nodes=True), {7: 1}, None, id="one node is left"
        ),
    ],
)
def test_workers_are_packed_as_they_may_share_nodes(
    workers: list[WorkerSet], room: Room, others: dict[int, int], free: dict[int, int] | None
) -> None:
    assert pack(workers, room, others or None) == free


@pytest.mark.parametrize(
    ("surging", "neighbours", "room", "has_room"),
    [
        # One worker, however large, is on one of the two nodes.
        (WorkerSet("worker", 8, 1), [], Room(2, 8), True),
        (WorkerSet("worker", 8, 1), [WorkerSet("small", 1, 1)], Room(2, 8), False),
        # On a node of its own kind.
        (DECODE, [PREFILL], Room(2, 8, different_nodes=True), True),
        (PREFILL, [WorkerSet("decode", 4, 2)], Room(2, 8, different_nodes=True), True),
        (WorkerSet("decode", 4, 2), [PREFILL], Room(2, 8, different_nodes=True), False),
    ],
)
def test_a_worker_surges_onto_a_node_that_no_other_can_fill(
    surging: WorkerSet, neighbours: list[WorkerSet], room: Room, has_room: bool
) -> None:
    assert has_room_wherever_placed(surging, neighbours, room) is has_room
