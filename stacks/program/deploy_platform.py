"""The platform's part of the program: NATS, etcd, the operator, and what is asked before any of it goes."""

from dataclasses import dataclass
from typing import Literal

import pulumi

from components.etcd import Etcd
from components.graph_guard import GraphGuard
from components.guard import cluster_inputs
from components.helm_chart import HelmChart
from components.namespace import Namespace
from components.nats import Nats
from components.network_policies import NetworkPolicies, ProtectedGraph, ServerPods
from components.platform_guard import PlatformGuard
from components.servers import BundledServers, EtcdArgs, ExternalServers, NatsArgs
from components.stateful_servers import NAME_LABEL
from recipes.server_manifest import client_pod_labels
from stacks.plan.platform import RELEASE_NAME, OwnPlatform, PlatformPlan, dynamo_platform
from stacks.plan.retention import keep_of
from stacks.plan.stack_plan import StackPlan
from stacks.program.joined_layers import reference


@dataclass(frozen=True, slots=True)
class PlatformParts:
    """What the rest of the program needs to know of the platform."""

    namespace: tuple[pulumi.Resource, ...]
    """None where others made it."""
    used_by_graphs: tuple[pulumi.Resource, ...]
    """What every graph depends on: without the operator a graph is refused, or cannot be deleted; without
    NATS its pods restart until they reach it."""


def deploy_platform(stack: StackPlan, options: pulumi.ResourceOptions) -> PlatformParts:
    """Register the platform; of one that exists nothing but the reference to the stack that owns it."""
    platform = stack.platform
    if not isinstance(platform, OwnPlatform):
        joined = stack.layers.joined.get("platform") if platform else None
        return PlatformParts((), (reference(joined),) if joined else ())
    namespace = Namespace(
        "platform-namespace",
        title=platform.namespace,
        platform_namespace=platform.namespace,
        lifecycle=stack.lifecycle,
        keep=keep_of(stack, "Namespace", platform.namespace),
        exists=platform.namespace_exists,
        opts=options,
    )
    servers: list[pulumi.Resource] = []
    if isinstance(platform.nats, NatsArgs):
        servers.append(Nats("nats", platform.nats, depends_on=[namespace], opts=options))
    if isinstance(platform.etcd, EtcdArgs):
        servers.append(Etcd("etcd", platform.etcd, depends_on=[namespace], opts=options))
    chart = dynamo_platform(platform)
    made = HelmChart("dynamo-platform", chart, depends_on=[namespace, *servers], opts=options)
    return PlatformParts((namespace,), (made.release, *servers))


def network_policies(
    stack: StackPlan,
    platform: PlatformParts,
    in_namespace: list[pulumi.Resource],
    options: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Register who may connect to NATS, etcd and the graph, as far as they are this stack's."""
    serving = stack.serving
    used = stack.platform
    graph = None
    if stack.layers.owns("serving"):
        graph = ProtectedGraph(
            namespace=serving.namespace,
            name=serving.graph_name,
            client_pod_labels=client_pod_labels(serving.placed),
            exposed=serving.exposure is not None,
            scraped=serving.pod_monitor_labels is not None,
        )
    own = used if isinstance(used, OwnPlatform) else None
    if not stack.network_policies or (graph is None and own is None):
        return []
    policies = NetworkPolicies(
        "network-policies",
        graph=graph,
        platform_namespace=used.namespace if used else "",
        nats=_servers(own, "nats") if own else None,
        etcd=_servers(own, "etcd") if own else None,
        # A namespace that this stack has not made has no label that the servers could admit it by.
        client_namespaces=() if stack.creates_namespace else (serving.namespace,),
        depends_on=[*in_namespace, *platform.namespace],
        opts=options,
    )
    return [policies]


def deploy_guards(
    stack: StackPlan,
    used: PlatformPlan,
    kubeconfig: pulumi.Output[str] | None,
    *,
    platform: list[pulumi.Resource],
    graph: list[pulumi.Resource],
) -> None:
    """Register what stands between graph and platform and a `destroy` that would leave halves of them.

    Args:
        stack: everything that was decided.
        used: the platform, this stack's own or another's.
        kubeconfig: of a cluster that a stack of this project makes.
        platform: what goes after the platform's guard, where the platform is the stack's own.
        graph: what goes after the graph's guard; none where nothing serves yet, or another stack's graph.

    """
    own = isinstance(used, OwnPlatform)
    if not own and not graph:
        return
    # The shipped stacks allow no provider that nobody has registered.
    plugin = pulumi.ProviderResource("pulumi-python", "platform-guard" if own else "graph-guard", {})
    cluster = cluster_inputs(
        stack.cluster.context, None if kubeconfig else stack.cluster.kubeconfig, kubeconfig
    )
    after = [*graph]
    if own:
        namespaces = [stack.serving.namespace] if stack.layers.owns("serving") else []
        made = PlatformGuard(
            "platform-guard",
            platform_namespace=used.namespace,
            own_namespaces=namespaces,
            cluster=cluster,
            opts=pulumi.ResourceOptions(depends_on=platform, provider=plugin),
        )
        # It goes for good once it lets go: not before the graph's guard does too.
        after.append(made)
    if graph:
        GraphGuard(
            "graph-guard",
            namespace=stack.serving.namespace,
            graph_name=stack.serving.graph_name,
            platform_namespace=used.namespace,
            cluster=cluster,
            opts=pulumi.ResourceOptions(depends_on=after, provider=plugin),
        )


def _servers(platform: OwnPlatform, kind: Literal["nats", "etcd"]) -> ServerPods | None:
    match platform.nats if kind == "nats" else platform.etcd:
        case NatsArgs(servers) | EtcdArgs(servers):
            return ServerPods({NAME_LABEL: servers.name}, servers.members)
        case BundledServers():
            # The labels of the charts nats 1.3 and Bitnami's etcd 12 themselves.
            labels = {NAME_LABEL: kind, "app.kubernetes.io/instance": RELEASE_NAME}
            return ServerPods(labels, members=1)
        case ExternalServers() | None:
            return None
