"""The dollars of the guides, against the shipped stacks and the prices that the program knows."""

import re

from hardware import lustre_usd_per_hour
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.infrastructure.prices import published_price
from stacks.settings.cluster import LustreStorage
from tests.docs.guide import text_of
from tests.support.shipped_stacks import shipped_stack

PRODUCTION, BLOCKS = (
    " ".join(text_of(page).split()) for page in ("docs/production.md", "docs/capacity-blocks.md")
)


def plan_of(name: str) -> EksPlan:
    plan = shipped_stack(name).infrastructure
    assert plan is not None
    return plan


def dollars_of(name: str, gpus: int) -> str:
    """What so many GPUs of the stack's pool cost in an hour."""
    [nodes] = plan_of(name).gpu_nodes
    price = published_price(nodes.pool.instance_type, nodes.purchase)
    assert price is not None
    return f"${gpus * price.usd_per_gpu_hour:.2f}"


def test_the_guide_s_file_system_costs_what_the_stack_s_own_does() -> None:
    storage = plan_of("disagg-b200-tcp").storage
    assert storage is not None
    assert isinstance(storage.typed, LustreStorage)
    dollars = lustre_usd_per_hour(storage.size_gib, storage.typed.throughput)
    said = f"${dollars:.2f} ({storage.size_gib} GiB at {storage.typed.throughput} MB/s a TiB"
    assert said in PRODUCTION
    # Three m7g.2xlarge, the control plane, a NAT gateway.
    assert f"about ${0.98 + 0.10 + 0.045 + dollars:.1f}0 an hour in us-east-1" in PRODUCTION


def test_the_guides_gpus_cost_what_the_least_that_is_sold_does() -> None:
    assert f"| 8 of 8 | {dollars_of('disagg-b200', 8)} |" in PRODUCTION
    node = f"{dollars_of('disagg-b200-tcp', 8)} an hour for a p6-b200.48xlarge"
    for name in ("agg-gb200", "disagg-gb200-two-trays"):
        [unit, *_] = plan_of(name).gpu_nodes[0].pool.instance_type.ultraservers
        whole = dollars_of(name, unit.gpus)
        assert f"of {unit.gpus} | {whole} |" in PRODUCTION
        assert f"used or not: {node}, {whole} for a {unit.name} |" in BLOCKS


def test_the_readme_s_dollars_are_those_of_the_guide() -> None:
    # What a command has printed is of the day on which it was run.
    said = re.sub(r"```text\n.*?```", "", text_of("README.md"), flags=re.DOTALL)
    found = re.findall(r"\$\d[\d.]*\d", said)
    assert found
    assert [dollars for dollars in found if dollars not in PRODUCTION] == []
