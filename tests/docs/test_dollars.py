"""The dollars of the guides, against the shipped stacks and the prices that the program knows."""

from __future__ import annotations

from pathlib import Path

from hardware import lustre_usd_per_hour
from stacks.plan.infrastructure.prices import usd_per_gpu_hour
from stacks.settings.cluster import LustreStorage
from tests.support.shipped_stacks import shipped_stack

ROOT = Path(__file__).parents[2]
PRODUCTION, BLOCKS = (
    " ".join((ROOT / name).read_text(encoding="utf-8").split())
    for name in ("docs/production.md", "docs/capacity-blocks.md")
)


def test_the_guide_s_file_system_costs_what_the_stack_s_own_does() -> None:
    plan = shipped_stack("disagg-b200-tcp").infrastructure
    assert plan is not None
    assert plan.storage is not None
    size, typed = plan.storage.size_gib, plan.storage.typed
    assert isinstance(typed, LustreStorage)
    dollars = lustre_usd_per_hour(size, typed.throughput)
    said = f"${dollars:.2f} ({size} GiB at {typed.throughput} MB/s a TiB"
    assert said in PRODUCTION
    # Three m7g.2xlarge, the control plane, a NAT gateway.
    assert f"about ${0.98 + 0.10 + 0.045 + dollars:.1f}0 an hour in us-east-1" in PRODUCTION


def test_the_guide_s_gpus_cost_what_the_least_that_is_sold_does() -> None:
    plan = shipped_stack("disagg-b200").infrastructure
    assert plan is not None
    [nodes] = plan.gpu_nodes
    rate = usd_per_gpu_hour(nodes.pool.instance_type, nodes.purchase)
    assert rate is not None
    assert f"| 8 of 8 | ${nodes.pool.instance_type.gpus * rate:.2f} |" in PRODUCTION
    for name in ("agg-gb200", "disagg-gb200-two-trays"):
        stack = shipped_stack(name).infrastructure
        assert stack is not None
        [unit, *_] = stack.gpu_nodes[0].pool.instance_type.ultraservers
        assert f"of {unit.gpus} | ${unit.usd_per_hour:.2f} |" in PRODUCTION


def test_a_block_that_is_emptied_costs_what_the_guide_says() -> None:
    b200, gb200 = (
        shipped_stack(name).infrastructure for name in ("disagg-b200-tcp", "disagg-gb200-two-trays")
    )
    assert b200 is not None
    assert gb200 is not None
    [nodes] = b200.gpu_nodes
    rate = usd_per_gpu_hour(nodes.pool.instance_type, nodes.purchase)
    assert rate is not None
    [unit, *_] = gb200.gpu_nodes[0].pool.instance_type.ultraservers
    node = f"${nodes.pool.instance_type.gpus * rate:.2f} an hour for a {nodes.pool.instance_type.name}"
    assert f"used or not: {node}, ${unit.usd_per_hour:.2f} for a {unit.name} |" in BLOCKS
