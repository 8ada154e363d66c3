"""Keeps a platform from being destroyed while graphs of other stacks need it."""

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from pulumi.dynamic import Resource

from components.cluster_answer import DEPLOYMENTS, NAMESPACES, labels_of
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_NAME, GRAPH_OBJECTS, OPERATOR_LABELS, PART_OBJECTS, USES_PLATFORM
from components.guard import GuardProvider, StillNeededError, guarded_cluster

WITHOUT_PLATFORM_VARIABLE = "DYNAMO_STACK_WITHOUT_PLATFORM"
"""Environment variable with the graphs, `namespace/name`, separated by commas, that may lose it."""

# Of a living operator, which removes the finalizers within seconds.
_PARTS_LOOKS = 20
_PARTS_PAUSE_SECONDS = 3.0
_PAGE = "docs/runbook/platform-in-use.md"


class PlatformGuardProvider(GuardProvider):
    """Asks, when it is deleted, who else serves on the platform."""

    def delete(self, _id: str, _props: dict[str, Any]) -> None:
        """Let the platform go.

        Raises:
            StillNeededError: others serve on it, and nobody said that they may lose it.

        """
        cluster = guarded_cluster(_props)
        own = _props.get("ownNamespaces") or []
        others = graphs_of_others(cluster, str(_props["platformNamespace"]), own)
        if others is None:
            _say(
                "not checked: whether graphs of other stacks need this platform. The cluster of "
                f"context {cluster.context} does not list them"
            )
            return
        permit(others, os.environ)
        # Without an operator no wait helps.
        looks = _PARTS_LOOKS if has_operator(cluster, str(_props["platformNamespace"])) else 0
        await_parts(cluster, own, os.environ, looks=looks)
        if others:
            _say(f"{', '.join(others)} run on without an operator: {_PAGE}")


class PlatformGuard(Resource, module="dynamo-stack", name="PlatformGuard"):
    """Of a stack with a platform of its own; `ownNamespaces` are those of this stack's own graphs."""


def graphs_of_others(
    cluster: ClusterReader, platform_namespace: str, own_namespaces: Collection[str]
) -> tuple[str, ...] | None:
    """Return graphs, `namespace/name`, that are none of the stack's own; None where the cluster does not say.

    A namespace that says which platform it uses, and names another one, is no concern of this one.
    """
    graphs = cluster.ask(GRAPH_OBJECTS)
    if not graphs.is_known:
        return None
    labelled = cluster.ask(NAMESPACES, labelSelector=USES_PLATFORM).items
    platforms = {each["metadata"]["name"]: each["metadata"]["labels"][USES_PLATFORM] for each in labelled}
    found = [(graph["metadata"]["namespace"], graph["metadata"]["name"]) for graph in graphs.items]
    return tuple(
        f"{namespace}/{name}"
        for namespace, name in sorted(found)
        if namespace not in own_namespaces
        and platforms.get(namespace, platform_namespace) == platform_namespace
    )


def left_parts(cluster: ClusterReader, namespaces: Collection[str]) -> tuple[str, ...]:
    """Return graphs, `namespace/name`, that are gone from these namespaces, and have left parts.

    That is what a graph leaves whose operator was away when somebody lifted its finalizer. Each part has a
    finalizer of its own, which nobody but the operator removes.
    """
    left: list[str] = []
    for namespace in namespaces:
        parts = cluster.ask(PART_OBJECTS, namespace=namespace)
        graphs = cluster.ask(GRAPH_OBJECTS, namespace=namespace)
        if not parts.is_listed or not graphs.is_listed:
            # Without the graphs every part would look left, also one that serves, and would be deleted.
            continue
        present = {graph["metadata"]["name"] for graph in graphs.items}
        owners = {labels_of(part).get(GRAPH_NAME) for part in parts.items}
        left += sorted(f"{namespace}/{owner}" for owner in owners - present if owner)
    return tuple(left)


def has_operator(cluster: ClusterReader, platform_namespace: str) -> bool:
    """Return whether an operator that is ready looks after the parts; also where the cluster does not say."""
    found = cluster.ask(DEPLOYMENTS, namespace=platform_namespace, labelSelector=OPERATOR_LABELS)
    ready = (each.get("status", {}).get("readyReplicas", 0) for each in found.items)
    return not found.is_known or any(ready)


def delete_parts(cluster: ClusterReader, graphs: Iterable[str]) -> str:
    """Delete the parts of these graphs, `namespace/name`, that are gone; returns why the cluster refuses.

    Kubernetes does so by itself, and after an operator was away it may begin minutes after its return: its
    garbage collector could list no parts meanwhile, and tries again at growing intervals.
    """
    refusals: list[str] = []
    for graph in graphs:
        namespace, _, name = graph.partition("/")
        selector = f"{GRAPH_NAME}={name}"
        refusals.append(
            cluster.delete(cluster.resource(PART_OBJECTS), "--namespace", namespace, "--selector", selector)
        )
    return "\n".join(filter(None, refusals))


def await_parts(
    cluster: ClusterReader,
    namespaces: Collection[str],
    environment: Mapping[str, str],
    sleep: Callable[[float], None] = time.sleep,
    *,
    looks: int = _PARTS_LOOKS,
) -> None:
    """Delete parts of graphs that are gone from the namespaces, and wait until the operator lets go of them.

    Each look deletes again: an operator that has just come back is ready before its webhooks answer, and one
    refused deletion would leave the parts to the garbage collector.

    Raises:
        StillNeededError: some stay, and nobody said that they may.

    """
    refusal = ""
    for _ in range(looks):
        graphs = left_parts(cluster, namespaces)
        if named_in(environment) >= set(graphs):
            return
        refusal = delete_parts(cluster, graphs)
        sleep(_PARTS_PAUSE_SECONDS)
    graphs = left_parts(cluster, namespaces)
    if named_in(environment) >= set(graphs):
        return
    listed = "".join(f"\n  {name}" for name in graphs)
    why = f"The cluster refused to delete them: {refusal}\n" if refusal else ""
    raise StillNeededError(
        f"graphs that are gone have left parts, and nothing of the platform was deleted:{listed}\n{why}"
        "Nobody but the Dynamo operator removes the finalizers of the parts; without it their namespaces "
        "never end.\n"
        "  try: bring the operator back, then the same command again; or leave the parts: "
        f"{WITHOUT_PLATFORM_VARIABLE}={','.join(graphs)} pulumi destroy\n"
        "  runbook: docs/runbook/operator-gone.md"
    )


def named_in(environment: Mapping[str, str]) -> set[str]:
    """Return what a person has named as what may lose the platform."""
    return {name.strip() for name in environment.get(WITHOUT_PLATFORM_VARIABLE, "").split(",")}


def permit(others: Sequence[str], environment: Mapping[str, str]) -> None:
    """End where one of them was not named by a person.

    Raises:
        StillNeededError: it names them all, and the way to force it.

    """
    if named_in(environment) >= set(others):
        return
    listed = "".join(f"\n  {name}" for name in others)
    raise StillNeededError(
        f"graphs of other stacks need this platform, and nothing of it was deleted:{listed}\n"
        "Without its operator they serve on, but can neither be changed nor deleted, and their namespaces "
        "never end.\n"
        "  try: destroy their stacks first; or leave them without it: "
        f"{WITHOUT_PLATFORM_VARIABLE}={','.join(others)} pulumi destroy\n"
        f"  runbook: {_PAGE}"
    )


def _say(text: str) -> None:
    # The engine shows what a plugin writes there.
    print(text, file=sys.stderr)
