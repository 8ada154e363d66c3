"""The numbers at the top of the page."""

import datetime as dt
from collections.abc import Iterator

from components.purchase import CapacityBlock, Purchase
from explain.explanation.price_age import aged
from explain.explanation.tables import purchases
from explain.page import KeyFigure
from hardware import InstanceType
from rules.model import Report, Severity, Status
from stacks.plan.infrastructure.prices import PublishedPrice, least_sold, published_price
from stacks.plan.stack_plan import StackPlan
from stacks.wording import in_words

GPU_COST = "GPU cost"


def key_figures(stack: StackPlan, report: Report, today: dt.date) -> Iterator[KeyFigure]:
    """Yield GPUs, dollars an hour, what an update interrupts, findings and evidence."""
    if stack.pools and stack.layers.own != ("platform",):
        yield _gpus(stack)
        yield from cost_figures(stack, today)
    if stack.layers.owns("serving"):
        yield _update(stack)
    yield _findings(report)
    if stack.layers.owns("serving"):
        yield _evidence(stack)


def cost_figures(stack: StackPlan, today: dt.date) -> Iterator[KeyFigure]:
    """Yield what the GPUs cost an hour, and the least that is sold of them where that is more."""
    yield _cost(stack, today)
    yield from _sold_whole(stack)


def _gpus(stack: StackPlan) -> KeyFigure:
    used, gpus = sum(each.used_gpus for each in stack.pools), sum(each.pool.gpus for each in stack.pools)
    names = dict.fromkeys(each.pool.instance_type.accelerator.name for each in stack.pools)
    nodes = sum(each.pool.nodes for each in stack.pools)
    return KeyFigure(
        "GPUs in use", f"{used} of {gpus}", f"{' and '.join(names)} on {in_words(nodes, 'node')}"
    )


def _cost(stack: StackPlan, today: dt.date) -> KeyFigure:
    bought = purchases(stack)
    prices = {
        each.pool.name: published_price(each.pool.instance_type, bought.get(each.pool.name))
        for each in stack.pools
    }
    known = [(each, price) for each in stack.pools if (price := prices[each.pool.name]) is not None]
    if len(known) < len(stack.pools):
        unknown = [each.pool.name for each in stack.pools if prices[each.pool.name] is None]
        return KeyFigure(GPU_COST, "unknown", f"no price is published for pool {', '.join(unknown)}")
    total = sum(each.pool.gpus * price.usd_per_gpu_hour for each, price in known)
    idle = sum(each.free_gpus * price.usd_per_gpu_hour for each, price in known)
    notes = [f"${idle:,.2f} of it idle"] if idle else []
    notes += [
        _priced(each.pool.instance_type, bought.get(each.pool.name), price, today) for each, price in known
    ]
    return KeyFigure(GPU_COST, f"${total:,.2f} an hour", "; ".join(dict.fromkeys(notes)))


def _sold_whole(stack: StackPlan) -> Iterator[KeyFigure]:
    """Yield the least purchase of each pool that is smaller than what is sold."""
    for placed in stack.pools:
        pool = placed.pool
        sold = least_sold(pool.instance_type, max(pool.gpus, pool.nvlink_domain_gpus))
        if sold is not None and sold.gpus > pool.gpus and placed.used_gpus:
            note = f"{sold.name}, {sold.gpus} GPUs, of which this stack uses {placed.used_gpus}"
            yield KeyFigure("Least purchase", f"${sold.usd_per_hour:,.2f} an hour", note)


def _priced(kind: InstanceType, purchase: Purchase | None, price: PublishedPrice, today: dt.date) -> str:
    block = isinstance(purchase, CapacityBlock)
    block = block or (purchase is None and kind.on_demand_usd_per_gpu_hour is None)
    return f"{'Capacity Block' if block else 'on demand'} price of {aged(price.source.date, today)}"


def _update(stack: StackPlan) -> KeyFigure:
    workers = stack.serving.placed.workers
    strategies = {each.placement.rollout.strategy for each in workers if each.placement is not None}
    if "Recreate" in strategies:
        minutes = stack.serving.load.minutes
        return KeyFigure(
            "An update of the workers", f"about {minutes} min", "without service: no room for new beside old"
        )
    return KeyFigure("An update of the workers", "no interruption", "new workers start beside the old ones")


def _findings(report: Report) -> KeyFigure:
    failed = [
        each for each in report.findings if each.waiver is None and each.observation.status is Status.FAILED
    ]
    mandatory = sum(each.severity is Severity.MANDATORY for each in failed)
    undecided = sum(each.observation.status is Status.UNDECIDED for each in report.findings)
    waived = sum(each.waiver is not None for each in report.findings)
    notes = [f"{len(failed) - mandatory} advisory"]
    notes += [f"{undecided} undecided"] if undecided else []
    notes += [f"{waived} waived"] if waived else []
    return KeyFigure("Findings", f"{mandatory} mandatory", ", ".join(notes))


def _evidence(stack: StackPlan) -> KeyFigure:
    recipe = stack.serving.placed.recipe
    used = sorted({each.pool.instance_type.accelerator.name for each in stack.pools if each.used_gpus})
    levels = dict.fromkeys(recipe.evidence_on(name).level.value for name in used)
    validated = all(name in recipe.validated_on for name in used)
    upstream = "validated upstream" if validated else "not validated upstream"
    return KeyFigure("Evidence", " and ".join(levels), f"on {' and '.join(used)}, {upstream}")
