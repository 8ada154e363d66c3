"""The platform's part of the program: NATS, etcd, the operator, and what is asked before any of it goes."""

import pulumi

from components.etcd import Etcd
from components.graph_guard import GraphGuard, GraphGuardProvider
from components.helm_chart import HelmChart
from components.namespace import Namespace
from components.nats import Nats
from components.network_policies import NetworkPolicies
from components.options import Resources
from components.platform_guard import PlatformGuard, PlatformGuardProvider
from stacks.plan.platform.platform_plan import RELEASE_NAME, OwnPlatform, PlatformPlan, release_values
from stacks.plan.retention import keep_of
from stacks.plan.stack_plan import StackPlan
from stacks.plan.versions import platform_chart
from stacks.program.joined_layers import reference


def deploy_platform(stack: StackPlan, options: pulumi.ResourceOptions) -> tuple[Resources, Resources]:
    """Register the platform; of one that exists nothing but the reference to the stack that owns it.

    Returns:
        Its namespace, nothing where others made it; and what every graph depends on: without the operator a
        graph is refused, or cannot be deleted; without NATS its pods restart until they reach it.

    """
    platform = stack.platform
    if not isinstance(platform, OwnPlatform):
        return [], [reference(stack.layers, "platform")] if "platform" in stack.layers.joined else []
    namespace = Namespace(
        "platform-namespace",
        title=platform.namespace,
        platform_namespace=platform.namespace,
        lifecycle=stack.settings.lifecycle,
        keep=keep_of(stack, "Namespace", platform.namespace),
        exists=platform.namespace_exists,
        opts=options,
    )
    servers: Resources = []
    if platform.nats:
        servers.append(Nats("nats", platform.nats, depends_on=[namespace], opts=options))
    if platform.etcd:
        servers.append(Etcd("etcd", platform.etcd, depends_on=[namespace], opts=options))
    made = HelmChart(
        RELEASE_NAME,
        platform_chart(platform.version),
        component="DynamoPlatform",
        release_name=RELEASE_NAME,
        namespace=platform.namespace,
        values=release_values(platform),
        timeout_seconds=platform.typed.install_timeout_seconds,
        outputs={"releaseName": RELEASE_NAME},
        depends_on=[namespace, *servers],
        opts=options,
    )
    return [namespace], [made.release, *servers]


def network_policies(stack: StackPlan, namespaces: Resources, options: pulumi.ResourceOptions) -> Resources:
    """Register who may connect to NATS, etcd and the graph, as far as they are this stack's."""
    owns = stack.layers.owns("serving") or isinstance(stack.platform, OwnPlatform)
    if not stack.settings.network_policies or not owns:
        return []
    return [NetworkPolicies("network-policies", stack, depends_on=namespaces, opts=options)]


def deploy_guards(
    stack: StackPlan,
    used: PlatformPlan,
    kubeconfig: pulumi.Output[str] | None,
    *,
    platform: Resources,
    graph: Resources,
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
    # The KUBECONFIG environment variable decides where there is neither file nor content.
    inputs = {
        "context": stack.settings.cluster.context,
        "kubeconfigFile": None if kubeconfig else stack.settings.cluster.kubeconfig,
        "kubeconfig": kubeconfig,
        "platformNamespace": used.namespace,
    }
    cluster = {key: value for key, value in inputs.items() if value is not None}
    after = [*graph]
    if own:
        namespaces = [stack.serving.namespace] if stack.layers.owns("serving") else []
        made = PlatformGuard(
            PlatformGuardProvider(),
            "platform-guard",
            {**cluster, "ownNamespaces": namespaces},
            opts=pulumi.ResourceOptions(depends_on=platform, provider=plugin),
        )
        # It goes for good once it lets go: not before the graph's guard does too.
        after.append(made)
    if graph:
        GraphGuard(
            GraphGuardProvider(),
            "graph-guard",
            {**cluster, "namespace": stack.serving.namespace, "graphName": stack.serving.graph_name},
            opts=pulumi.ResourceOptions(depends_on=after, provider=plugin),
        )
