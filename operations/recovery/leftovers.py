"""Leftovers of an interrupted run, read without changing anything."""

from collections.abc import Callable
from dataclasses import dataclass

from components.dynamo_objects import GRAPH_KIND
from operations.cluster_commands import ClusterCommands, refuse_other_cluster
from operations.project import recorded_stack
from operations.pulumi_command import PulumiCommand
from operations.recovery.found_in_cluster import (
    HelmRelease,
    existing_objects,
    operator_answers,
    read_release,
    unfinished,
)
from operations.recovery.locks import Lock, read_locks, refuse_live_runs
from operations.recovery.orphan_processes import longest_life, wait_for_orphans
from operations.recovery.stack_state import ClusterObject, StackState, read_state
from operations.recovery.state_backup import Backup, LostStateError, put_back
from resource_graph import ResourceGraph
from stacks.plan.stack_plan import StackPlan


@dataclass(frozen=True)
class Leftovers:
    """Everything that a recovery has to know, and what may still be missing."""

    locks: tuple[Lock, ...]
    state: StackState
    release: HelmRelease | None
    """Helm release of the platform; None where the platform is not this stack's own."""
    objects: tuple[ClusterObject, ...]
    """The program's objects that exist."""
    restored: bool = False
    """Whether the state is a backup that was put back: the cluster is newer."""
    graph_to_come: str | None = None
    """The program's graph, where the state has none of any name: no `up` has got that far."""
    operator_answers: bool = True
    """Whether graphs can be changed and deleted: without the operator they can only be read."""

    @property
    def unrecorded(self) -> tuple[ClusterObject, ...]:
        """The objects that the state does not know."""
        return tuple(each for each in self.objects if (each.urn, each.id) not in self.state.recorded)

    @property
    def release_is_unrecorded(self) -> bool:
        """Whether it is installed and the state does not know it."""
        release = self.release
        return release is not None and release.status is not None and not self.state.knows(release.urn)

    @property
    def was_creating(self) -> frozenset[str]:
        """URNs of what was being created."""
        return frozenset(each.urn for each in self.state.pending if each.operation == "creating")


def read_leftovers(
    stack: StackPlan,
    pulumi: PulumiCommand,
    cluster: ClusterCommands,
    *,
    ended: str | None,
    say: Callable[[str], None],
    may_end: Callable[[], bool],
    may_put_back: Callable[[Backup], bool],
) -> Leftovers:
    """Return what an interrupted run left, once nothing of that run is alive any more.

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
    refuse_other_cluster(stack)
    cluster.require_answer()
    wait_for_orphans(
        pulumi.directory,
        say,
        longest_seconds=longest_life(operation.wait_seconds for operation in pending),
        unfinished=lambda: unfinished(pending, cluster),
        may_end=may_end,
    )
    graph, state = recorded_stack(stack), read_state(pulumi)
    return Leftovers(
        locks=locks,
        state=state,
        release=read_release(stack, graph, cluster),
        objects=existing_objects(graph, cluster),
        restored=restored,
        graph_to_come=_graph_to_come(graph, state),
        operator_answers=operator_answers(cluster),
    )


def _graph_to_come(program: ResourceGraph, state: StackState) -> str | None:
    if any(f":{GRAPH_KIND}::" in urn for urn, _ in state.recorded):
        return None
    return next((graph.name for graph in program.kubernetes_objects(GRAPH_KIND)), None)


def _is_lost(pulumi: PulumiCommand) -> bool:
    try:
        read_state(pulumi)
    except LostStateError:
        return True
    return False
