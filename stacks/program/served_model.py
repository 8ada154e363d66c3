"""The served model of a stack's plan, as rules take it."""

from collections.abc import Iterator
from typing import Any

from hardware import INSTANCE_TYPES, InstanceType
from recipes.placed import PlacedRecipe
from recipes.pod_environment import MAIN_CONTAINER
from recipes.services import Role
from stacks.plan.placement.pools import Pool
from stacks.plan.recipe_choice import typed_settings
from stacks.plan.stack_plan import StackPlan


def served_inputs(stack: StackPlan) -> dict[str, Any]:
    """Return the inputs of the component of a graph or a server."""
    placed = stack.serving.placed
    typed = list(_typed_settings(stack))
    return {
        "name": placed.graph_name,
        "namespace": placed.namespace,
        "placement": _placement(stack),
        "nodePools": [_node_pool(each.pool) for each in stack.pools],
        "lifecycle": stack.settings.lifecycle,
        "waivers": [waiver.model_dump() for waiver in stack.settings.waivers],
        **({"typedSettings": typed} if typed else {}),
    }


def kv_transport(stack: StackPlan) -> dict[str, Any] | None:
    """Return how the KV cache travels; None where it never leaves a worker."""
    transport = stack.serving.placed.kv_transport
    if transport is None:
        return None
    return {
        "name": transport.name,
        # By a person, not because it is documented to work.
        "typed": transport.explicit,
        "standing": transport.path.standing.value,
        "reason": transport.path.reason,
        "ceiling": transport.ceiling,
    }


def _placement(stack: StackPlan) -> dict[str, Any]:
    """Return the pool of each worker that has one, by what rules call the worker."""
    pools = {placed.pool.name: placed.pool for placed in stack.pools}
    placed = stack.serving.placed
    found: dict[str, Any] = {}
    for worker in placed.workers:
        if worker.placement:
            # One that is no service of a graph they call by its container.
            name = worker.name if placed.recipe.engine_server is None else MAIN_CONTAINER
            pool = pools[worker.placement.pool]
            found[name] = {"pool": pool.name, "nodes": pool.nodes, **_node(pool.instance_type)}
    return found


def _typed_settings(stack: StackPlan) -> Iterator[dict[str, str]]:
    """Yield what a person typed, without its line, which any comment moves."""
    parts = dict(_parts(stack.serving.placed))
    for role, key, decides in typed_settings(stack.settings.serving):
        yield {"key": key, "part": parts[role], "decides": decides}


def _parts(placed: PlacedRecipe) -> Iterator[tuple[Role, str]]:
    """Yield each role with what rules call its worker: the service, one engine of it, or the container."""
    for service in placed.services:
        for number, role in enumerate(service.roles, start=1):
            if placed.recipe.engine_server is not None:
                yield role, MAIN_CONTAINER
            else:
                yield role, f"{service.name} engine {number}" if len(service.roles) > 1 else service.name


def _node_pool(pool: Pool) -> dict[str, Any]:
    # Nobody knows the other labels of an instance type's nodes, and of a described node these are all.
    labels = pool.node_selector if _is_described(pool.instance_type) else dict(pool.labels)
    taints = [
        {"key": each.key, "value": each.value or "", "effect": each.effect} for each in pool.taints or ()
    ]
    return {
        "name": pool.name,
        "nodes": pool.nodes,
        "labels": labels,
        "nvlinkDomainGpus": pool.nvlink_domain_gpus,
        **_node(pool.instance_type),
        # Left out where nobody says which they are.
        **({} if pool.taints is None else {"taints": taints}),
    }


def _node(node: InstanceType) -> dict[str, Any]:
    """Return the nodes by the name of their instance type, or by a description."""
    if not _is_described(node):
        return {"instanceType": node.name}
    described = {
        "accelerator": node.accelerator.name,
        "gpus": node.gpus,
        "cpu": node.vcpus,
        "memoryGib": node.memory_gib,
        "nvlinkDomainGpus": max(node.nvlink_domain_gpus),
    }
    return {"node": described}


def _is_described(node: InstanceType) -> bool:
    return node.name not in INSTANCE_TYPES
