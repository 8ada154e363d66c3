"""The node pools of a stack, how their nodes are bought and what their GPUs cost."""

from collections.abc import Iterator

from stacks.plan.infrastructure.prices import PublishedPrice, published_price
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.stack_plan import StackPlan
from stacks.settings.cluster import Purchase


def priced_pools(stack: StackPlan) -> Iterator[tuple[PlacedPool, Purchase | None, PublishedPrice | None]]:
    """Yield each pool, how its nodes are bought and what its GPUs cost.

    A pool of an existing cluster is bought in a way that nobody has said; of some no price is published.
    """
    bought = {nodes.pool.name: nodes.purchase for nodes in stack.gpu_nodes}
    for placed in stack.pools:
        purchase = bought.get(placed.pool.name)
        yield placed, purchase, published_price(placed.pool.instance_type, purchase)
