"""What a stack does to the one that the other side has recorded."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from comparison.record_stack import record_stack, update_over
from comparison.recording import Side, StackRecording, side_as_json, side_of_json
from tests.components.recorded import recorded
from tests.stacks.changed_settings import changed, override
from tests.stacks.updates.changes import update
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings

if TYPE_CHECKING:
    from comparison.recording import RecordedUpdate

TODAY = dt.date(2026, 11, 24)


def recording(settings: dict[str, Any]) -> StackRecording:
    """As the other side reads it: it went through JSON."""
    graph = recorded(settings)
    made = record_stack(
        resolved(settings), graph, graph, settings=settings, secrets={}, update=None, today=TODAY
    )
    read = side_of_json(side_as_json(Side("base", None, {"dev": made}))).stacks["dev"]
    assert isinstance(read, StackRecording)
    return read


def over(before: dict[str, Any], after: dict[str, Any]) -> RecordedUpdate:
    return update_over(resolved(after), recording(before)).recorded


def test_it_says_what_preview_says() -> None:
    before = disagg_b200_settings()
    after = changed(before, override("decode", max_batch_size=512))
    said = over(before, after)
    assert [notice.text for notice in said.notices] == update(before, after).texts
    assert said.restarts_workers
    assert said.interruption == (
        "nothing serves until the new worker has loaded 65.2 GB, about 31 min at 36 MB/s"
    )


def test_workers_that_surge_restart_without_an_interruption() -> None:
    before = disagg_b200_settings()
    before["nodePools"][0]["nodes"] = 2
    said = over(before, changed(before, override("decode", max_batch_size=512)))
    assert said.restarts_workers
    assert said.interruption is None


def in_phase(phase: str) -> dict[str, Any]:
    settings = eks_b200_settings()
    settings["nodePools"][0]["purchase"]["phase"] = phase
    return settings


def test_a_graph_that_waits_for_its_window_again_ends_and_nothing_serves() -> None:
    said = over(in_phase("active"), in_phase("waiting"))
    assert said.restarts_workers
    assert "is deleted, and nothing serves" in str(said.interruption)


def test_pools_are_recorded_with_their_price_and_its_source() -> None:
    settings = in_phase("active")
    instance_type = resolved(settings).pools[0].pool.instance_type
    [pool] = recording(settings).pools
    assert (pool.machine, pool.accelerator, pool.block) == (
        "p6-b200.48xlarge",
        "B200",
        "cr-0123456789abcdef0",
    )
    assert pool.usd_per_gpu_hour == instance_type.capacity_block_usd_per_gpu_hour
    assert (pool.price_source, pool.price_date) == (
        "https://aws.amazon.com/ec2/capacityblocks/pricing/",
        "2026-07-01",
    )
