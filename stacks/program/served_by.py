"""The served model of a stack's plan, as components and rules take it."""

from collections.abc import Iterator

from components.served import (
    KvTransport,
    Node,
    NodePool,
    Placement,
    Served,
    Taint,
    TypedSetting,
    Waiver,
)
from hardware import INSTANCE_TYPES, InstanceType
from recipes.engine_files import engine_files
from recipes.placed import PlacedRecipe
from recipes.pod_environment import MAIN_CONTAINER
from recipes.services import Role
from stacks.plan.placement.pools import Pool
from stacks.plan.stack_plan import StackPlan


def served_by(stack: StackPlan, placement: dict[str, Placement]) -> Served:
    """Return what a graph and a server have in common; `placement` names its parts as rules do."""
    placed = stack.serving.placed
    files = engine_files(placed)
    return Served(
        name=placed.graph_name,
        namespace=placed.namespace,
        engine_config_map_name=files.name,
        engine_files=files.data,
        placement=placement,
        node_pools=[_node_pool(placed.pool) for placed in stack.pools],
        lifecycle=stack.lifecycle,
        waivers=[Waiver(rule=item.rule, reason=item.reason, expires=item.expires) for item in stack.waivers],
        ready_timeout_seconds=stack.serving.ready_timeout_seconds,
        typed_settings=list(_typed_settings(stack)),
    )


def placement(stack: StackPlan) -> dict[str, Placement]:
    """Return the pool of each worker that has one, by the worker's name."""
    pools = {placed.pool.name: placed.pool for placed in stack.pools}
    found: dict[str, Placement] = {}
    for worker in stack.serving.placed.workers:
        if worker.placement:
            pool = pools[worker.placement.pool]
            found[worker.name] = Placement(pool=pool.name, nodes=pool.nodes)
            _add_node(found[worker.name], pool.instance_type)
    return found


def kv_transport(stack: StackPlan) -> KvTransport | None:
    """Return how the KV cache travels; None where it never leaves a worker."""
    transport = stack.serving.placed.kv_transport
    if transport is None:
        return None
    return KvTransport(
        name=transport.name,
        typed=transport.explicit,
        standing=transport.path.standing.value,
        reason=transport.path.reason,
        ceiling=transport.ceiling,
    )


def _typed_settings(stack: StackPlan) -> Iterator[TypedSetting]:
    parts = dict(_parts(stack.serving.placed))
    for typed in stack.serving.typed:
        yield TypedSetting(key=typed.key, part=parts[typed.role], decides=typed.decides)


def _parts(placed: PlacedRecipe) -> Iterator[tuple[Role, str]]:
    """Yield each role with what rules call its worker: the service, one engine of it, or the container."""
    for service in placed.services:
        for number, role in enumerate(service.roles, start=1):
            if placed.recipe.engine_server is not None:
                yield role, MAIN_CONTAINER
            else:
                yield role, f"{service.name} engine {number}" if len(service.roles) > 1 else service.name


def _node_pool(pool: Pool) -> NodePool:
    entry = NodePool(
        name=pool.name,
        nodes=pool.nodes,
        labels=pool.node_selector if _is_described(pool.instance_type) else dict(pool.labels),
        nvlinkDomainGpus=pool.nvlink_domain_gpus,
    )
    _add_node(entry, pool.instance_type)
    if pool.taints is not None:
        entry["taints"] = [
            Taint(key=each.key, value=each.value or "", effect=each.effect) for each in pool.taints
        ]
    return entry


def _add_node(entry: NodePool | Placement, node: InstanceType) -> None:
    if not _is_described(node):
        entry["instanceType"] = node.name
        return
    entry["node"] = Node(
        accelerator=node.accelerator.name,
        gpus=node.gpus,
        cpu=node.vcpus,
        memoryGib=node.memory_gib,
        nvlinkDomainGpus=max(node.nvlink_domain_gpus),
    )


def _is_described(node: InstanceType) -> bool:
    return node.name not in INSTANCE_TYPES
