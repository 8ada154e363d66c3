"""Reads everything that a recovery has to know, and changes nothing."""

import os
from collections.abc import Callable

from cli.project import recorded_stack
from cli.pulumi_command import PulumiCommand
from cli.recovery.cluster import ClusterCommands
from cli.recovery.in_cluster import existing_objects, operator_answers, read_release, unfinished
from cli.recovery.locks import read_locks, refuse_live_runs
from cli.recovery.orphans import longest_life, wait_for_orphans
from cli.recovery.remains import Remains
from cli.recovery.state import read_state
from stacks.errors import SettingsError
from stacks.guards.cluster_identity import cluster_problems
from stacks.resolved import ResolvedStack


def read_remains(
    stack: ResolvedStack,
    pulumi: PulumiCommand,
    cluster: ClusterCommands,
    *,
    ended: str | None,
    say: Callable[[str], None],
    may_end: Callable[[], bool],
) -> Remains:
    """What an interrupted run left, once nothing of that run is alive any more.

    `may_end` is asked whether processes of that run that can only wait may be ended.

    Raises:
        CommandError: a run is alive, or something cannot be read.
        SettingsError: the kubeconfig does not lead to the cluster that the settings mean.

    """
    pending = read_state(pulumi).pending
    locks = read_locks(pulumi)
    refuse_live_runs(locks, ended)
    problems = cluster_problems(stack.cluster, stack.source, os.environ)
    if problems:
        raise SettingsError(problems)
    cluster.require_answer()
    wait_for_orphans(
        pulumi.directory,
        say,
        longest_seconds=longest_life(operation.wait_seconds for operation in pending),
        unfinished=lambda: unfinished(pending, cluster),
        may_end=may_end,
    )
    graph = recorded_stack(stack)
    return Remains(
        locks=locks,
        state=read_state(pulumi),
        release=read_release(stack, graph, cluster),
        objects=existing_objects(graph, cluster),
        operator_answers=operator_answers(cluster),
    )
