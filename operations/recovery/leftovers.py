"""Leftovers of an interrupted run, read without changing anything."""

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
)
from operations.recovery.stack_state import ClusterObject, StackState, read_state
from stacks.plan.stack_plan import StackPlan


@dataclass(frozen=True)
class Leftovers:
    """Everything that a recovery has to know, and what may still be missing."""

    state: StackState
    release: HelmRelease | None
    """Helm release of the platform; None where the platform is not this stack's own."""
    objects: tuple[ClusterObject, ...]
    """The program's objects that exist."""
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
        known = {urn for urn, _ in self.state.recorded}
        release = self.release
        return release is not None and release.status is not None and release.urn not in known

    @property
    def was_creating(self) -> frozenset[str]:
        """URNs of what was being created."""
        return frozenset(urn for operation, urn in self.state.pending if operation == "creating")


def read_leftovers(stack: StackPlan, pulumi: PulumiCommand, cluster: ClusterCommands) -> Leftovers:
    """Return what an interrupted run left.

    Raises:
        CommandError: something cannot be read.
        SettingsError: the kubeconfig does not lead to the cluster that the settings mean.
    """
    state = read_state(pulumi)
    refuse_other_cluster(stack)
    cluster.require_answer()
    graph = recorded_stack(stack)
    has_graph = any(f":{GRAPH_KIND}::" in urn for urn, _ in state.recorded)
    to_come = None if has_graph else next(iter(graph.kubernetes_objects(GRAPH_KIND)), None)
    return Leftovers(
        state=state,
        release=read_release(stack, graph, cluster),
        objects=existing_objects(graph, cluster),
        graph_to_come=to_come.name if to_come else None,
        operator_answers=operator_answers(cluster.reader),
    )
