"""The serving part of the program: the model cache, the graph, and what surrounds it."""

from collections.abc import Mapping
from dataclasses import replace

import pulumi

from components.alerts import Alerts
from components.compute_domain import ComputeDomain
from components.dynamo_graph import DynamoGraph
from components.exposure import Exposure
from components.model_cache import ModelCache
from components.model_server import ModelServer
from components.namespace import TOKEN_SECRET_NAME
from components.node_cache import NodeCache
from components.options import Resources
from components.pod_monitor import PodMonitor
from recipes.alerts import dashboard, pod_monitor_spec, rule_groups
from recipes.model_download import HuggingFaceDownload, cache_job_spec
from recipes.node_cache import node_cache_spec
from recipes.server_manifest import client_pod_labels
from sizing.of_recipe import slowest_first_token
from stacks.plan.cache_plan import NodeCopies, OwnVolume
from stacks.plan.retention import keep_of
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.program.end_of_up import Watch
from stacks.program.joined_layers import InfrastructureParts
from stacks.program.served_model import kv_transport, served_inputs
from stacks.settings.cluster import CapacityBlock
from stacks.updates.planned_update import Update


def deploy_serving(
    stack: StackPlan,
    in_namespace: Resources,
    used_by_graphs: Resources,
    options: pulumi.ResourceOptions,
    update: Update,
    *,
    infrastructure: InfrastructureParts,
    cache: pulumi.Resource | None,
    policies: Resources,
    watch: Watch,
) -> Resources:
    """Register everything in the serving namespace, in the order in which it works.

    What is named after the graph has that name in the state too: another graph is other resources, made
    before those of the old one go. Replaced ones would be marked for deletion as soon as their successors
    exist; where the new graph then fails and the change is taken back, the engine would create what exists,
    and delete it.

    Args:
        stack: everything that was decided.
        in_namespace: where all of it lives; nothing where it was there before the stack.
        used_by_graphs: of the platform.
        options: with the provider.
        update: what happens to the graph that runs.
        infrastructure: with the nodes and operators that the graph needs, where this stack makes them.
        cache: what every reader of the model depends on; None where nothing can fill it yet.
        policies: those of the graph's pods.
        watch: is given the graph.

    Returns:
        What serves, with its exposure and what watches it; nothing before the windows of its nodes are open.

    """
    serving = stack.serving
    if waited_for(stack):
        # Its pods would be pending until the window opens, and `up` would fail when the graph's time is over.
        say_notices(update, cache)
        return []
    before_graph: Resources = [
        *in_namespace,
        *used_by_graphs,
        *infrastructure.before_graph,
        *([cache] if cache else []),
        *policies,
    ]
    if domain := serving.placed.compute_domain:
        made = ComputeDomain(
            domain,
            namespace=serving.namespace,
            claim_template_name=serving.placed.channel_template,
            # The driver's controller makes the claim template, and at destroy removes its finalizer.
            depends_on=[*in_namespace, *infrastructure.before_graph],
            opts=options,
        )
        before_graph.append(made)
    serves = _serves(stack, before_graph, options, update)
    say_notices(update, serves)
    watch(serves)
    graph: Resources = [serves]
    if stack.settings.serving.exposure:
        exposure = Exposure(
            f"{serving.graph_name}-exposure",
            stack.settings.serving.exposure,
            graph_name=serving.graph_name,
            namespace=serving.namespace,
            pod_labels=client_pod_labels(serving.placed),
            # After the graph, so that nobody is sent to pods that are still loading, and at destroy first.
            depends_on=[serves],
            opts=options,
        )
        graph.append(exposure)
    if serving.pod_monitor_labels is not None:
        monitor = PodMonitor(
            f"{serving.graph_name}-pod-monitor",
            graph_name=serving.graph_name,
            namespace=serving.namespace,
            labels=serving.pod_monitor_labels,
            spec=pod_monitor_spec(serving.placed),
            depends_on=in_namespace,
            opts=options,
        )
        graph.append(monitor)
    if serving.has_alerts:
        alerts = Alerts(
            f"{serving.graph_name}-alerts",
            graph_name=serving.graph_name,
            namespace=serving.namespace,
            groups=rule_groups(
                serving.placed,
                stack.name,
                _ends(stack),
                slowest_first_token(serving.placed.recipe, stack.used_accelerators),
            ),
            dashboard=dashboard(serving.placed),
            depends_on=in_namespace,
            opts=options,
        )
        graph.append(alerts)
    return graph


def _ends(stack: StackPlan) -> Mapping[str, str]:
    """When the Capacity Blocks of the stack's pools end, as far as somebody typed it."""
    blocks = [nodes.purchase for nodes in stack.gpu_nodes if isinstance(nodes.purchase, CapacityBlock)]
    return {block.id: block.ends for block in blocks if block.ends}


def say_notices(update: Update, subject: pulumi.Resource | None) -> None:
    """Show what the update does, under a resource that it concerns."""
    for notice in update.notices:
        # With a resource named, the engine shows it under Diagnostics, also without a terminal.
        say = pulumi.log.warn if notice.warns else pulumi.log.info
        say(notice.text, resource=subject)


def _serves(
    stack: StackPlan, depends_on: Resources, options: pulumi.ResourceOptions, update: Update
) -> pulumi.CustomResource:
    """Register what serves, and return the resource that is there once it does."""
    how, inputs = update.replacement, served_inputs(stack)
    if stack.serving.placed.recipe.engine_server is not None:
        server = ModelServer(stack.serving, inputs=inputs, depends_on=depends_on, opts=options)
        return server.deployment
    return DynamoGraph(
        stack.serving,
        inputs=inputs,
        kv_transport=kv_transport(stack),
        instead_of=how.old_urn if how else None,
        replace_with_its_name=how is not None and how.in_place,
        # Created last, so destroyed first: a graph whose operator is gone keeps its finalizer, and with it
        # its namespace, for ever (NVIDIA/aicr#406).
        depends_on=depends_on,
        opts=options,
    ).graph


NODE_CACHE_NAME = "model-cache"
"""The DaemonSet has this name."""


def deploy_cache(
    stack: StackPlan,
    in_namespace: Resources,
    infrastructure: InfrastructureParts,
    options: pulumi.ResourceOptions,
    *,
    has_token: bool,
    found_claim: str | None,
    lost: Mapping[str, str],
) -> ModelCache | NodeCache | None:
    """Register what brings the model, and return what every reader of it depends on; None before any node.

    Args:
        stack: everything that was decided.
        in_namespace: where all of it lives; nothing where it was there before the stack.
        infrastructure: with the file system, and what gives GPU nodes the labels that they are found by.
        options: with the provider.
        has_token: the namespace has a token for Hugging Face.
        found_claim: uid of a claim that exists; None where nobody can tell.
        lost: uid of a claim of the state, which the cluster does not have -> words for a person.

    """
    cache, placed = stack.cache, stack.serving.placed
    # GPU nodes are found by labels that the GPU operator writes.
    before = [*in_namespace, *(infrastructure.before_graph if placed.cache_nodes else ())]
    source = cache.source
    if has_token and isinstance(source, HuggingFaceDownload):
        source = replace(source, token_secret_name=TOKEN_SECRET_NAME)
    if isinstance(cache, NodeCopies):
        return NodeCache(
            NODE_CACHE_NAME,
            namespace=placed.namespace,
            spec=node_cache_spec(placed, NODE_CACHE_NAME, source),
            timeout_seconds=cache.timeout_seconds,
            depends_on=before,
            opts=options,
        )
    if isinstance(cache, OwnVolume) and cache.nodes and waited_for(stack):
        # A Job that no node can run would be waited for until its time is over.
        return None
    return ModelCache(
        "model-cache",
        cache,
        claim_name=placed.cache_claim_name,
        namespace=placed.namespace,
        job_spec=cache_job_spec(placed, source),
        file_system=infrastructure.file_system,
        keep=keep_of(stack, "PersistentVolumeClaim", placed.cache_claim_name),
        found_uid=found_claim,
        lost=lost,
        depends_on=before,
        opts=options,
    )
