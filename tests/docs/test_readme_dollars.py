"""The README's dollars, against the shipped stacks and the prices that the program knows."""

from __future__ import annotations

from pathlib import Path

from hardware import lustre_usd_per_hour
from stacks.infrastructure.plan import PlannedLustre
from stacks.infrastructure.prices import usd_per_gpu_hour
from tests.support.shipped_stacks import shipped_stack

README = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())


def test_the_readme_s_file_system_costs_what_the_stack_s_own_does() -> None:
    plan = shipped_stack("disagg-b200").infrastructure
    assert plan is not None
    assert isinstance(plan.storage, PlannedLustre)
    dollars = lustre_usd_per_hour(plan.storage.size_gib, plan.storage.throughput)
    said = f"${dollars:.2f} ({plan.storage.size_gib} GiB at {plan.storage.throughput} MB/s a TiB"
    assert said in README
    # Three m7g.2xlarge, the control plane, a NAT gateway.
    assert f"about ${0.98 + 0.10 + 0.045 + dollars:.1f}0 an hour in us-east-1" in README


def test_the_readme_s_gpus_cost_what_the_least_that_is_sold_does() -> None:
    plan = shipped_stack("disagg-b200").infrastructure
    assert plan is not None
    [nodes] = plan.gpu_nodes
    rate = usd_per_gpu_hour(nodes.instance_type, nodes.purchase)
    assert rate is not None
    assert f"| 5 of 8 | ${nodes.instance_type.gpus * rate:.2f} |" in README
    for name in ("agg-gb200", "disagg-gb200"):
        stack = shipped_stack(name).infrastructure
        assert stack is not None
        [unit, *_] = stack.gpu_nodes[0].instance_type.ultraservers
        assert f"of {unit.gpus} | ${unit.usd_per_hour:.2f} |" in README
