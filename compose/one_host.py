"""Whether the workers of a stack fit one host, and what would."""

from recipes.model import Recipe
from stacks.errors import Problem
from stacks.plan.placement.pools import Pool
from stacks.plan.recipe_files import sound_recipes
from stacks.plan.stack_plan import StackPlan
from stacks.wording import alternatives, in_words


def several_servers(stack: StackPlan) -> Problem | None:
    """Return why a compose file cannot have several servers without Dynamo; None where it need not."""
    placed = stack.serving.placed
    servers = sum(worker.replicas for worker in placed.workers)
    if placed.recipe.engine_server is None or servers == 1:
        return None
    message = (
        f"without Dynamo's frontend nothing divides requests among {servers} servers of one host, and one "
        "alone can have its port"
    )
    return Problem("serving.replicas.worker", servers, message, suggestion="1, with more gpusPerWorker")


def several_hosts(stack: StackPlan) -> Problem | None:
    """Return why the stack's workers take several hosts, with what would work instead; None for one host."""
    used = stack.used_pools
    hosts = sum(placed.used_nodes for placed in used)
    if hosts <= 1:
        return None
    recipe = stack.serving.placed.recipe
    gpus = sum(placed.used_gpus for placed in used)
    pools = " and ".join(str(placed.pool) for placed in used)
    message = (
        f"a compose file is for one host; the workers of {recipe.name} take {in_words(gpus, 'GPU')} on "
        f"{hosts} nodes of {pools}"
    )
    largest = max((placed.pool for placed in used), key=lambda pool: pool.instance_type.gpus)
    key, suggestion = _instead(stack, gpus, largest)
    return Problem(key, None, message, suggestion=suggestion)


def _instead(stack: StackPlan, gpus: int, pool: Pool) -> tuple[str, str]:
    """Return the setting to change, and what to."""
    placed = stack.serving.placed
    node, least = pool.instance_type.gpus, sum(worker.gpus for worker in placed.recipe.workers)
    if least > node:
        other = _smaller(placed.recipe, pool)
        hosts = f"hosts with {in_words(least, 'GPU')} or more"
        return "serving.pool", f"{hosts}, or recipe {alternatives(other)}" if other else hosts
    if gpus > node:
        return "serving.replicas", f"fewer replicas: one of {pool.name}'s nodes has {in_words(node, 'GPU')}"
    if len(stack.used_pools) > 1:
        return "serving.pool", f"pool: {pool.name} in place of pools: one of its nodes holds all workers"
    # Only a way of the KV cache keeps workers apart that one node would hold.
    return "serving.kvTransport", "kvTransport: tcp; in a compose file prefill and decode share a container"


def _smaller(recipe: Recipe, pool: Pool) -> list[str]:
    """Return the recipes of the same model and engine that one node of the pool holds."""
    family = pool.instance_type.accelerator.architecture_family
    return [
        other.name
        for other in sound_recipes()
        if other.model.repository == recipe.model.repository
        and other.framework == recipe.framework
        and family in other.quantization.architecture_families
        and sum(worker.gpus for worker in other.workers) <= pool.instance_type.gpus
    ]
