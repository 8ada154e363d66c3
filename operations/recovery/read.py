"""Reads everything that a recovery has to know, and changes nothing."""

import os
from collections.abc import Callable

from operations.project import recorded_stack
from operations.pulumi_command import PulumiCommand
from operations.recovery.cluster import ClusterCommands
from operations.recovery.in_cluster import existing_objects, operator_answers, read_release, unfinished
from operations.recovery.locks import read_locks, refuse_live_runs
from operations.recovery.lost_state import Backup, LostStateError, put_back
from operations.recovery.orphans import longest_life, wait_for_orphans
from operations.recovery.remains import Remains, StackState
from operations.recovery.state import read_state
from resource_graph import ResourceGraph
from stacks.errors import SettingsError
from stacks.plan.stack_plan import StackPlan
from stacks.updates.guards.cluster_identity import cluster_problems

_GRAPH = "DynamoGraphDeployment"


def read_remains(
    stack: StackPlan,
    pulumi: PulumiCommand,
    cluster: ClusterCommands,
    *,
    ended: str | None,
    say: Callable[[str], None],
    may_end: Callable[[], bool],
    may_put_back: Callable[[Backup], bool],
) -> Remains:
    """What an interrupted run left, once nothing of that run is alive any more.

    `may_end` is asked whether processes of that run that can only wait may be ended, `may_put_back` whether
    a backup may take the place of a state that cannot be read.

    Raises:
        CommandError: a run is alive, or something cannot be read.
        SettingsError: the kubeconfig does not lead to the cluster that the settings mean.

    """
    is_lost = _is_lost(pulumi)
    locks = read_locks(pulumi)
    # While a run writes its state, somebody else may read half of it.
    refuse_live_runs(locks, ended)
    restored = is_lost and _is_lost(pulumi)
    if restored:
        put_back(pulumi, may_put_back)
    pending = read_state(pulumi).pending
    problems = cluster_problems(stack.cluster, os.environ)
    if problems:
        raise SettingsError({stack.source: problems})
    cluster.require_answer()
    wait_for_orphans(
        pulumi.directory,
        say,
        longest_seconds=longest_life(operation.wait_seconds for operation in pending),
        unfinished=lambda: unfinished(pending, cluster),
        may_end=may_end,
    )
    graph, state = recorded_stack(stack), read_state(pulumi)
    return Remains(
        locks=locks,
        state=state,
        release=read_release(stack, graph, cluster),
        objects=existing_objects(graph, cluster),
        restored=restored,
        graph_to_come=_graph_to_come(graph, state),
        operator_answers=operator_answers(cluster),
    )


def _graph_to_come(program: ResourceGraph, state: StackState) -> str | None:
    if any(f":{_GRAPH}::" in urn for urn, _ in state.recorded):
        return None
    return next((graph.name for graph in program.kubernetes_objects(_GRAPH)), None)


def _is_lost(pulumi: PulumiCommand) -> bool:
    try:
        read_state(pulumi)
    except LostStateError:
        return True
    return False
