"""Keeps a graph from being deleted while its operator is away, which has to let go of it."""

import time
from collections.abc import Callable
from typing import Any

from pulumi.dynamic import Resource

from components.cluster_reader import ClusterReader
from components.dynamo_objects import why_unconverted
from components.guard import GuardProvider, StillNeededError, guarded_cluster

# Longer than the API server waits for the webhook, which is 30 s; it answers with what came of that.
_ANSWER_SECONDS = 40
# Through 1.2 an operator that comes back is ready before its webhook answers (ai-dynamo/dynamo#12255).
_LOOKS = 5
_PAUSE_SECONDS = 3.0


class GraphGuardProvider(GuardProvider):
    """Asks, when it is deleted, whether the graph's operator is there."""

    def delete(self, _id: str, _props: dict[str, Any]) -> None:
        """Let the graph go.

        Raises:
            StillNeededError: its operator is away.

        """
        cluster = guarded_cluster(_props).within(_ANSWER_SECONDS)
        await_operator(cluster, _props["namespace"], _props["graphName"], _props["platformNamespace"])


class GraphGuard(Resource, module="dynamo-stack", name="GraphGuard"):
    """Of a stack with a graph. Its inputs are nothing that an update of the graph changes."""


def await_operator(
    cluster: ClusterReader,
    namespace: str,
    name: str,
    platform_namespace: str,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Wait for an operator that has just come back.

    Args:
        cluster: with the graph.
        namespace: of the graph.
        name: of the graph.
        platform_namespace: where its operator runs.
        sleep: waits so many seconds.

    Raises:
        StillNeededError: nobody converts the graph.

    """
    why = ""
    for _ in range(_LOOKS):
        why = why_unconverted(cluster, namespace, name)
        if not why:
            return
        sleep(_PAUSE_SECONDS)
    helm = f"helm -n {platform_namespace}"
    raise StillNeededError(
        f"graph {namespace}/{name} cannot be deleted while the Dynamo operator is away; nothing of it was "
        f"deleted\nIt cannot be read: {why}\n"
        "Nobody but the operator removes its finalizer; without it graph and namespace never end.\n"
        f"  try: `{helm} history dynamo-platform`, then with the last revision that is deployed "
        f"`{helm} rollback dynamo-platform REVISION --wait`, then the same command again\n"
        "  runbook: docs/runbook/operator-gone.md"
    )
