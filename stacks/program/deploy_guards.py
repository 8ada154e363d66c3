"""The guards' part of the program: what a `destroy` asks before anything of graph and platform goes."""

import pulumi

from components.graph_guard import GraphGuard, GraphGuardArgs
from components.guard import GuardedCluster
from components.platform_guard import PlatformGuard, PlatformGuardArgs
from stacks.plan.platform import OwnPlatform, PlatformPlan
from stacks.plan.stack_plan import StackPlan


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
    cluster = GuardedCluster(
        stack.cluster.context, None if kubeconfig else stack.cluster.kubeconfig, kubeconfig
    )
    after = [*graph]
    if own:
        namespaces = [stack.serving.namespace] if stack.layers.owns("serving") else []
        made = PlatformGuard(
            "platform-guard",
            PlatformGuardArgs(used.namespace, namespaces, cluster),
            pulumi.ResourceOptions(depends_on=platform, provider=plugin),
        )
        # It goes for good once it lets go: not before the graph's guard does too.
        after.append(made)
    if graph:
        GraphGuard(
            "graph-guard",
            GraphGuardArgs(stack.serving.namespace, stack.serving.graph_name, used.namespace, cluster),
            pulumi.ResourceOptions(depends_on=after, provider=plugin),
        )
