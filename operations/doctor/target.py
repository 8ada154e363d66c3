"""What the doctor looks at: the deployment of a stack, or a graph that others deployed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from components.cluster_answer import KubernetesObject, Said, labels_of
from components.cluster_reader import ClusterReader
from components.dynamo_objects import FRONTEND, GRAPH_OBJECTS, GRAPHS, components_of
from engines.runtime_lines import LOST_TOOL_CALLS
from failures.health import ServingObjects
from operations.commands import ClusterCommands, refuse_other_cluster
from operations.errors import CommandError
from operations.project import resolved_stack
from operations.smoke.checks import Target as Asked
from operations.smoke.graph_pods import GraphPods
from operations.smoke.run import refuse_without_graph, roles_of, target_of_stack
from stacks.plan.infrastructure.cluster import ClusterPlan
from stacks.settings.cluster import CapacityBlock
from stacks.updates.guards.foreign_and_lost import objects_of

_LOOK_SECONDS = 5
"""For each question: the cluster answers at once, or nothing is to be had within the doctor's time."""
_VARIANTS = ("prefill", "decode", FRONTEND, "planner", "epp")
"""What the operator knows beside `worker`, which another word or none stands for (ai-dynamo/dynamo,
deploy/operator, ComponentDefaultsFactory)."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Nodes that a stack counts on."""

    labels: Mapping[str, str]
    """By which its nodes are known."""
    nodes: int
    block: CapacityBlock | None = None
    """In which they run."""

    def has(self, node: KubernetesObject) -> bool:
        """Whether a node of the cluster is one of them."""
        return self.labels.items() <= labels_of(node).items()


@dataclass(frozen=True, slots=True)
class Target:
    """One deployment."""

    cluster: ClusterCommands
    served: ServingObjects
    asked: Asked
    """What its frontend is asked, as `smoke` asks it; with its name, its stack and its KV transport."""
    roles: Mapping[str, tuple[str, ...]]
    """Component of the graph -> what its pods do; frontend, prefill, decode or worker."""
    pools: Mapping[str, Pool] = field(default_factory=dict[str, Pool])
    """Pools that workers use."""
    platform_namespace: str = ""
    """Where the platform is, unless its operator says; empty: nobody knows."""

    @property
    def reader(self) -> ClusterReader:
        """A reader whose answers come in time."""
        return self.cluster.within(_LOOK_SECONDS)


def of_stack(name: str) -> Target:
    """Return the deployment of a stack.

    Raises:
        SettingsError: the settings cannot be used, or the kubeconfig leads to another cluster.
        CommandError: the stack has no graph, or there is no kubectl.

    """
    stack = resolved_stack(name)
    refuse_without_graph(stack)
    refuse_other_cluster(stack)
    cluster = ClusterCommands.of(stack.cluster, needs_helm=False)
    purchases = {nodes.pool.name: nodes.purchase for nodes in stack.gpu_nodes}
    return Target(
        cluster=cluster,
        served=objects_of(stack),
        asked=target_of_stack(stack, cluster),
        roles=roles_of(stack.serving),
        pools={
            each.pool.name: Pool(
                each.pool.node_selector,
                each.pool.nodes,
                bought if isinstance(bought := purchases.get(each.pool.name), CapacityBlock) else None,
            )
            for each in stack.pools
            if each.used_gpus
        },
        platform_namespace=stack.platform.namespace if stack.platform else "",
    )


def of_graph(context: str, namespace: str, name: str | None) -> Target:
    """Return a graph that others deployed; the only one of its namespace where no name is given.

    Raises:
        CommandError: there is no such graph, there are several, or the cluster does not say.

    """
    cluster = ClusterCommands.of(ClusterPlan("existing", context, None, None), needs_helm=False)
    graph = _graph(cluster.within(_LOOK_SECONDS), namespace, name)
    found = str(graph["metadata"]["name"])
    roles = roles_in(graph)
    asked = Asked(
        name=f"graph {namespace}/{found}",
        stack=None,
        url=None,
        model="",
        roles=("prefill", "decode") if ("prefill",) in roles.values() else ("worker",),
        kv=None,
        no_kv="nobody decided how the KV cache travels",
        pods=GraphPods(cluster, namespace, found, roles),
        lost_calls=LOST_TOOL_CALLS,
    )
    return Target(cluster, ServingObjects(namespace, found), asked, roles)


def roles_in(graph: KubernetesObject) -> Mapping[str, tuple[str, ...]]:
    """Return each component of a graph with what its pods do."""
    said = {str(key): _role(each) for key, each in components_of(graph).items()}
    if "prefill" not in said.values():
        # Public manifests call the one kind of worker of an aggregated graph `decode`.
        said = {name: "worker" if role == "decode" else role for name, role in said.items()}
    return {name: (role,) for name, role in said.items()}


def _graph(cluster: ClusterReader, namespace: str, name: str | None) -> KubernetesObject:
    answer = cluster.ask(GRAPH_OBJECTS, name or "", namespace)
    look = cluster.command("get", GRAPHS, "--all-namespaces")
    if not answer.is_known:
        raise CommandError(f"nothing could be looked at: {answer.why}\n  try: `{look}`")
    if answer.said is Said.ABSENT:
        raise CommandError(f"the cluster has no {GRAPHS}: Dynamo is not installed there")
    if not answer.items:
        graph = f"graph {name}" if name else "graph"
        raise CommandError(f"there is no {graph} in namespace {namespace}\n  try: `{look}`")
    if len(answer.items) > 1:
        names = ", ".join(sorted(each["metadata"]["name"] for each in answer.items))
        raise CommandError(f"namespace {namespace} has the graphs {names}\n  try: --graph with one of them")
    return answer.items[0]


def _role(component: Mapping[str, Any]) -> str:
    said = component.get("type") or component.get("subComponentType") or component.get("componentType")
    return str(said) if said in _VARIANTS else "worker"
