"""Looks at the deployment of a stack, or at a graph that others deployed."""

from collections.abc import Mapping
from typing import Any

from components.cluster_answer import KubernetesObject, Said
from components.cluster_reader import ClusterReader
from components.dynamo_objects import FRONTEND, GRAPH_OBJECTS, GRAPHS, components_of
from failures.health import ServingObjects
from operations.commands import ClusterCommands
from operations.doctor.view import LOOK_SECONDS, View, look
from operations.errors import CommandError
from operations.project import resolved_stack
from operations.smoke.graph_pods import GraphPods
from operations.smoke.registration import Target
from operations.smoke.run import roles_of_workers, serving_cluster, target_of_stack
from stacks.settings.cluster import ExistingClusterSettings
from stacks.updates.guards.foreign_and_lost import objects_of

_VARIANTS = ("prefill", "decode", FRONTEND, "planner", "epp")
"""What the operator knows beside `worker`, which another word or none stands for (ai-dynamo/dynamo,
deploy/operator, ComponentDefaultsFactory)."""


def of_stack(name: str) -> View:
    """Look at the deployment of a stack.

    Raises:
        SettingsError: the settings cannot be used, or the kubeconfig leads to another cluster.
        CommandError: the stack has no graph, or there is no kubectl.

    """
    stack = resolved_stack(name)
    cluster = serving_cluster(stack)
    return look(cluster, objects_of(stack), target_of_stack(stack, cluster), stack)


def of_graph(context: str, namespace: str, name: str | None) -> View:
    """Look at a graph that others deployed; the only one of its namespace where no name is given.

    Raises:
        CommandError: there is no such graph, there are several, or the cluster does not say.

    """
    # The context is no setting, and the kubeconfig says what is wrong with it.
    named = ExistingClusterSettings.model_construct(kind="existing", context=context)
    cluster = ClusterCommands.of(named, needs_helm=False)
    graph = _graph(cluster.within(LOOK_SECONDS), namespace, name)
    found = str(graph["metadata"]["name"])
    roles = roles_in(graph)
    asked = Target(
        name=f"graph {namespace}/{found}",
        stack=None,
        url=None,
        model="",
        roles=roles_of_workers(is_disaggregated=("prefill",) in roles.values()),
        pods=GraphPods(cluster, namespace, found, roles),
    )
    return look(cluster, ServingObjects(namespace, found), asked)


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
