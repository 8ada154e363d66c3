"""The serving part of the program: the graph, and what surrounds it."""

import pulumi

from components.compute_domain import ComputeDomain, ComputeDomainArgs
from components.dynamo_graph import DynamoGraph, DynamoGraphArgs, KvTransport, NodePool, Placement, Waiver
from components.exposure import Exposure, ExposureArgs
from components.namespace import Namespace
from components.pod_monitor import PodMonitor, PodMonitorArgs
from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from stacks.plan.placement.pools import Pool
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.program.deploy_platform import PlatformParts, network_policies
from stacks.program.end_of_up import Watch
from stacks.program.joined_layers import InfrastructureParts
from stacks.updates.planned_update import Update


def deploy_serving(
    stack: StackPlan,
    namespace: Namespace | None,
    platform: PlatformParts,
    options: pulumi.ResourceOptions,
    update: Update,
    *,
    infrastructure: InfrastructureParts,
    cache: tuple[pulumi.Resource, ...],
    watch: Watch,
) -> list[pulumi.Resource]:
    """Register everything in the serving namespace, in the order in which it works.

    What is named after the graph has that name in the state too: another graph is other resources, made
    before those of the old one go. Replaced ones would be marked for deletion as soon as their successors
    exist; where the new graph then fails and the change is taken back, the engine would create what exists,
    and delete it.

    Args:
        stack: everything that was decided.
        namespace: where all of it lives; None where it was there before the stack.
        platform: what the graph needs of the platform.
        options: with the provider.
        update: what happens to the graph that runs.
        infrastructure: with the nodes and operators that the graph needs, where this stack makes them.
        cache: what every reader of the model depends on.
        watch: is given the graph.

    Returns:
        The network policies, those of the platform's servers among them.

    """
    serving = stack.serving
    in_namespace: list[pulumi.Resource] = [*namespace.made] if namespace else []
    policies = network_policies(stack, platform, in_namespace, options)
    if waited_for(stack):
        # Its pods would be pending until the window opens, and `up` would fail when the graph's time is over.
        say_notices(update, cache[0] if cache else None)
        return policies
    before_graph: list[pulumi.Resource] = [
        *in_namespace,
        *platform.used_by_graphs,
        *infrastructure.before_graph,
        *cache,
        *policies,
    ]
    if domain := serving.placed.compute_domain:
        made = ComputeDomain(
            domain.name,
            ComputeDomainArgs(
                name=domain.name,
                namespace=serving.namespace,
                claim_template_name=domain.claim_template_name,
            ),
            # The driver's controller makes the claim template, and at destroy removes its finalizer.
            depends_on=[*in_namespace, *infrastructure.before_graph],
            opts=options,
        )
        before_graph.append(made.domain)
    graph = _graph(stack, before_graph, options, update)
    say_notices(update, graph.graph)
    watch(graph.graph)
    if serving.exposure:
        Exposure(
            f"{serving.graph_name}-exposure",
            ExposureArgs(serving.exposure, serving.graph_name, serving.namespace),
            # After the graph, so that nobody is sent to pods that are still loading, and at destroy first.
            depends_on=[graph.graph],
            opts=options,
        )
    if serving.pod_monitor_labels is not None:
        PodMonitor(
            f"{serving.graph_name}-pod-monitor",
            PodMonitorArgs(serving.graph_name, serving.namespace, serving.pod_monitor_labels),
            depends_on=in_namespace,
            opts=options,
        )
    return policies


def say_notices(update: Update, subject: pulumi.Resource | None) -> None:
    """Show what the update does, under a resource that it concerns."""
    for notice in update.notices:
        # With a resource named, the engine shows it under Diagnostics, also without a terminal.
        say = pulumi.log.warn if notice.warns else pulumi.log.info
        say(notice.text, resource=subject)


def _graph(
    stack: StackPlan,
    depends_on: list[pulumi.Resource],
    options: pulumi.ResourceOptions,
    update: Update,
) -> DynamoGraph:
    how = update.replacement
    placed = stack.serving.placed
    files = engine_files(placed)
    return DynamoGraph(
        placed.graph_name,
        DynamoGraphArgs(
            name=placed.graph_name,
            namespace=placed.namespace,
            api_version=stack.graph_api_version,
            spec=graph_spec(placed, files.name, stack.platform.graph_api),
            engine_config_map_name=files.name,
            engine_files=files.data,
            placement=_placement(stack),
            node_pools=[_node_pool(placed.pool) for placed in stack.pools],
            lifecycle=stack.lifecycle,
            kv_transport=_kv_transport(stack),
            waivers=[
                Waiver(rule=item.rule, reason=item.reason, expires=item.expires) for item in stack.waivers
            ],
            ready_timeout_seconds=stack.serving.ready_timeout_seconds,
            instead_of=how.old_urn if how else None,
            replace_with_its_name=how is not None and how.in_place,
        ),
        # Created last, so destroyed first: a graph whose operator is gone keeps its finalizer, and with it
        # its namespace, for ever (NVIDIA/aicr#406).
        depends_on=depends_on,
        opts=options,
    )


def _kv_transport(stack: StackPlan) -> KvTransport | None:
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


def _node_pool(pool: Pool) -> NodePool:
    return NodePool(
        name=pool.name,
        instanceType=pool.instance_type.name,
        nodes=pool.nodes,
        labels=dict(pool.labels),
        nvlinkDomainGpus=pool.nvlink_domain_gpus,
    )


def _placement(stack: StackPlan) -> dict[str, Placement]:
    pools = {placed.pool.name: placed.pool for placed in stack.pools}
    return {
        worker.name: Placement(
            pool=worker.placement.pool,
            instanceType=worker.placement.instance_type,
            nodes=pools[worker.placement.pool].nodes,
        )
        for worker in stack.serving.placed.workers
        if worker.placement
    }
