"""What the cluster says, at one moment, of everything that a request needs."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from components.cluster_answer import (
    CLAIMS,
    DEPLOYMENTS,
    JOBS,
    KINDS,
    NAMESPACES,
    NODES,
    PODS,
    SERVICES,
    STATEFUL_SETS,
    Answer,
    Kind,
    KubernetesObject,
    Objects,
    Said,
    condition_of,
    labels_of,
)
from components.dynamo_objects import (
    GRAPH_NAME,
    GRAPH_OBJECTS,
    OPERATOR_LABELS,
    frontend_service,
    why_unconverted,
)
from components.gpu_nodes_ready import GPU_COUNT_LABEL
from failures.deletion import is_being_deleted
from failures.health import ServingObjects
from failures.pods_and_events import claim_names, config_map_names, has_ended, is_ready
from operations.commands import ClusterCommands
from operations.doctor.finding import Needs
from operations.errors import CommandError
from operations.smoke.registration import Target
from stacks.plan.placement.pools import Pool
from stacks.plan.stack_plan import StackPlan

LOOK_SECONDS = 5
"""For each question: the cluster answers at once, or nothing is to be had within the doctor's time."""
_EMPTY = Answer(Said.EMPTY)
_DATABASES = ("nats", "etcd")


@dataclass(frozen=True, slots=True)
class View:
    """Answers of the cluster; what it does not say is an answer too."""

    began: float
    """When it was begun to ask, by time.monotonic()."""
    cluster: ClusterCommands
    """Its answers come in time."""
    served: ServingObjects
    asked: Target
    """What its frontend is asked, as `smoke` asks it; with its name, its pods and its KV transport."""
    stack: StackPlan | None
    """None of a graph that others deployed."""
    serves: Answer
    """The graph, or the Deployment of a server without Dynamo."""
    pods: Answer
    nodes: Answer
    claims: Mapping[str, Answer]
    """Each claim that pods of the deployment mount, and its model cache's."""
    files: Mapping[str, Answer]
    """Each ConfigMap that pods mount which are Ready."""
    job: Answer
    operators: Answer
    """Deployments of Dynamo's operator."""
    servers: Answer
    """StatefulSets of the operator's namespace, or of the stack's platform."""
    platform_pods: Answer
    unconverted: str
    """Why the operator's webhook gives nobody the graph; empty where it does."""

    @property
    def live_pods(self) -> Sequence[KubernetesObject]:
        """The pods that serve, or should."""
        return [pod for pod in self.pods.items if not has_ended(pod)]

    @property
    def live_platform_pods(self) -> Sequence[KubernetesObject]:
        """Pods beside the operator that run, or should: a hook's pod that is done needs no node any more."""
        return [pod for pod in self.platform_pods.items if not has_ended(pod)]

    @property
    def pools(self) -> Sequence[Pool]:
        """The pools that workers of the stack use."""
        return [placed.pool for placed in self.stack.used_pools] if self.stack else []

    def nodes_of(self, pool: Pool) -> list[KubernetesObject]:
        """Return the nodes of a pool that are in the cluster."""
        return [node for node in self.nodes.items if pool.node_selector.items() <= labels_of(node).items()]

    def gpu_nodes(self) -> Sequence[KubernetesObject]:
        """Return the nodes that workers may run on: those of the stack's pools, else all with GPUs."""
        if pools := self.pools:
            return [node for pool in pools for node in self.nodes_of(pool)]
        return [node for node in self.nodes.items if GPU_COUNT_LABEL in labels_of(node)]

    @property
    def roles(self) -> tuple[str, ...]:
        """What has to serve: the frontend and each role of the workers; without Dynamo these answer alone."""
        return tuple(dict.fromkeys((self.asked.answers, *self.asked.roles)))

    def of_role(self, role: str) -> list[KubernetesObject]:
        """Return the pods of a role."""
        pods = self.asked.pods
        return pods.of_roles({role}, self.live_pods) if pods else []

    def databases(self) -> Iterator[KubernetesObject]:
        """Return the StatefulSets of NATS and etcd."""
        for each in self.servers.items:
            if any(name in each["metadata"]["name"] for name in _DATABASES):
                yield each

    def members(self, name: str) -> list[KubernetesObject]:
        """Return the pods of a StatefulSet beside the operator."""
        return [
            pod
            for pod in self.live_platform_pods
            if pod["metadata"]["name"].removeprefix(f"{name}-").isdecimal()
        ]

    def unseen(self) -> Iterator[str]:
        """Return what the cluster does not say, and why."""
        for name in ("nodes", "operators", "servers", "platform_pods", "job"):
            answer: Answer = getattr(self, name)
            if not answer.is_known:
                yield f"{name.replace('_', ' ')}: {answer.why}"
        yield from (f"claim {name}: {each.why}" for name, each in self.claims.items() if not each.is_known)
        yield from (f"ConfigMap {name}: {each.why}" for name, each in self.files.items() if not each.is_known)
        own = self.served.namespace
        beside = (
            Objects(NAMESPACES, own),
            *(Objects(kind, namespace=own) for kind in (SERVICES, DEPLOYMENTS)),
        )
        yield from (f"{each.kind.plural}: {why}" for each in beside if (why := self.cluster.find(each).why))

    def needs(self) -> Needs:
        """Return which part cannot do without which others."""
        databases = {each["metadata"]["name"] for each in self.databases()}
        pools = {f"pool {pool.name}" for pool in self.pools}
        nodes = {f"node {each['metadata']['name']}" for each in self.gpu_nodes()}
        nodes |= {on for pod in self.live_pods for on in _nodes(pod)}
        way = f"service {frontend_service(self.served.graph)}"
        below: dict[str, set[str]] = {
            "answer": {"model", "workers", "frontend", "transfer"},
            "transfer": {"workers"},
            "model": {"workers", "frontend"},
            "frontend": self._parts_of(self.asked.answers) | {way},
            "workers": {part for role in self.asked.roles for part in self._parts_of(role)},
            "readiness": {name_of(pod) for pod in self.live_pods}
            | {f"role {each}" for each in self.roles}
            | {"refused pods"},
            "operator": {"definitions"} | {on for pod in self.live_platform_pods for on in _nodes(pod)},
        }
        below |= {f"role {role}": {"graph", "operator", "definitions", "refused pods"} for role in self.roles}
        # Only one that has a node holds a place, and needs none of these itself.
        ending = {name_of(pod) for pod in self.live_pods if is_being_deleted(pod) and any(_nodes(pod))}
        ways = databases | {f"service {each}" for each in databases} | {"namespace"}
        for pod in self.live_pods:
            claims = {f"claim {name}" for name in claim_names(pod)}
            # A pod that no node has got may wait for any of them.
            below[name_of(pod)] = (set(_nodes(pod)) or nodes | pools | ending) | claims | {"download"} | ways
        for name in databases:
            below[name] = {on for pod in self.members(name) for on in _nodes(pod)}
        below |= dict.fromkeys(pools, nodes)
        claims = {f"claim {name}" for name in self.claims}
        below["download"] = claims
        # A namespace takes along what is in it, in no order.
        below |= {part: {"namespace"} for part in {*claims, "graph", "refused pods", way}}
        return {part: frozenset(others) for part, others in below.items()}

    def _parts_of(self, role: str) -> set[str]:
        return {name_of(pod) for pod in self.of_role(role)} or {f"role {role}"}


def look(
    cluster: ClusterCommands, served: ServingObjects, asked: Target, stack: StackPlan | None = None
) -> View:
    """Ask for all of it.

    Raises:
        CommandError: the cluster does not say what the deployment is.

    """
    began, cluster = time.monotonic(), cluster.within(LOOK_SECONDS)
    serves = cluster.ask(GRAPH_OBJECTS if served.by_dynamo else DEPLOYMENTS, served.graph, served.namespace)
    pods = cluster.ask(PODS, namespace=served.namespace, labelSelector=f"{GRAPH_NAME}={served.graph}")
    for answer in (serves, pods):
        if not answer.is_known:
            shown = cluster.command("get", "pods", "--namespace", served.namespace)
            raise CommandError(f"{asked.name} could not be looked at: {answer.why}\n  try: `{shown}`")
    operators = cluster.ask(DEPLOYMENTS, labelSelector=OPERATOR_LABELS) if served.by_dynamo else _EMPTY
    # A cluster may have several, each for its own namespaces.
    planned = stack.platform.namespace if stack and stack.platform else ""
    if own := [each for each in operators.items if each["metadata"]["namespace"] == planned]:
        operators = Answer.of(own)
    platform = next((str(each["metadata"]["namespace"]) for each in operators.items), planned)

    def of_platform(kind: Kind) -> Answer:
        return cluster.ask(kind, namespace=platform) if platform else _EMPTY

    claims = {name: None for pod in pods.items for name in claim_names(pod)}
    ready = [pod for pod in pods.items if is_ready(pod) and not is_being_deleted(pod)]
    files = dict.fromkeys(name for pod in ready for name in config_map_names(pod))
    if served.claim:
        claims[served.claim] = None
    return View(
        began,
        cluster,
        served,
        asked,
        stack,
        serves,
        pods,
        cluster.ask(NODES),
        {name: cluster.ask(CLAIMS, name, served.namespace) for name in claims},
        {name: cluster.ask(KINDS["ConfigMap"], name, served.namespace) for name in files},
        cluster.ask(JOBS, served.job, served.namespace) if served.job else _EMPTY,
        operators,
        of_platform(STATEFUL_SETS),
        of_platform(PODS),
        why_unconverted(cluster, served.namespace, served.graph) if served.by_dynamo else "",
    )


def name_of(pod: KubernetesObject) -> str:
    """Return the part that a pod is."""
    return f"pod {pod['metadata']['name']}"


def since(item: KubernetesObject, kind: str, status: str = "True") -> str | None:
    """Return since when the condition of this type has this status no more; None where it has."""
    condition = condition_of(item, kind)
    return None if condition.get("status") == status else condition.get("lastTransitionTime")


def _nodes(pod: KubernetesObject) -> Iterator[str]:
    if name := (pod.get("spec") or {}).get("nodeName"):
        yield f"node {name}"
