from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.reading.gpu_pods import can_be_packed

MOST_PODS = 4
POWERS_OF_TWO = (1, 2, 4, 8)


@st.composite
def packings(draw: st.DrawFn) -> tuple[dict[int, int], int, int]:
    gpus = draw(st.sampled_from(POWERS_OF_TWO))
    sizes = draw(st.dictionaries(st.integers(1, gpus), st.integers(0, MOST_PODS), max_size=3))
    return sizes, draw(st.integers(1, 4)), gpus


@settings(max_examples=300, deadline=None)
@given(packings())
def test_no_packing_that_trying_every_node_finds_is_denied_and_powers_of_two_are_decided(
    packing: tuple[dict[int, int], int, int],
) -> None:
    sizes, nodes, gpus = packing
    packed, fits = can_be_packed(sizes, nodes=nodes, gpus=gpus), tried(sizes, (gpus,) * nodes)
    assert packed or not fits
    if set(sizes) <= set(POWERS_OF_TWO):
        assert packed is fits


def tried(sizes: Mapping[int, int], free: tuple[int, ...]) -> bool:
    pods = tuple(sorted((size for size, count in sizes.items() for _ in range(count)), reverse=True))
    return place(pods, free, set())


def place(pods: tuple[int, ...], free: tuple[int, ...], seen: set[tuple[int, tuple[int, ...]]]) -> bool:
    if not pods:
        return True
    free = tuple(sorted(free))
    if (len(pods), free) in seen:
        return False
    seen.add((len(pods), free))
    return any(
        room >= pods[0] and place(pods[1:], (*free[:at], room - pods[0], *free[at + 1 :]), seen)
        for at, room in enumerate(free)
    )
