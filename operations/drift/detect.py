"""Compares the cluster with what a stack's last run left, and changes nothing."""

from collections.abc import Iterator, Sequence

from components.cluster_answer import DEPLOYMENTS, Said
from components.cluster_reader import ClusterReader
from components.dynamo_objects import (
    GRAPH_KIND,
    GRAPH_OBJECTS,
    GRAPHS,
    OPERATOR_LABELS,
)
from failures.explanation import Subject
from operations.commands import ClusterCommands, PulumiCommand
from operations.drift.helm_release import changes_inside, finished_revision, rollback, unfinished
from operations.drift.refresh_preview import changes_seen, deployed_release
from operations.drift.report import Change, DriftReport, Outcome, as_changes
from operations.engine_preview.events import EngineStep, ask_engine
from operations.errors import CommandError
from operations.project import recorded_stack, resolved_stack
from operations.recovery.found_in_cluster import operator_answers
from operations.recovery.stack_state import is_empty, read_state, recorded
from resource_graph.engine_state import Deployment
from resource_graph.urns import RELEASE_TYPE, own_type, urn_name
from stacks.plan.platform.platform_plan import RELEASE_NAME
from stacks.updates.guards.foreign_and_lost import look_for_losses

# Changes neither state nor cluster; without --preview-only it would record the drift as what is wanted.
_LOOK = ("refresh", "--preview-only")
_RELEASE = f"{RELEASE_TYPE}::{RELEASE_NAME}"
_KIND = f":{GRAPH_KIND}::"


def find_drift(name: str) -> DriftReport:
    """Return every difference, and what undoes it.

    Raises:
        SettingsError: the settings cannot be used, or the kubeconfig leads to another cluster.
        CommandError: it cannot be told whether anything differs.
    """
    stack = resolved_stack(name)
    cluster = ClusterCommands.of_stack(stack)
    pulumi = PulumiCommand.of_stack(name)
    state = _state_of_finished_run(pulumi)
    # The provider reads what a server that does not answer no longer says as deleted, or not at all.
    cluster.require_answer()
    graphs = [urn for urn, _ in recorded(state) if _KIND in urn]
    unread = unreadable_graphs(graphs, cluster)
    steps = _steps(pulumi, unread)
    release = deployed_release(steps)
    revision = finished_revision(cluster, *release, name) if release else ""
    # The state has what these were asked for, the cluster perhaps not.
    failed = frozenset(each.urn for each in state.resources if each.init_errors)
    has_failed = any(_RELEASE in urn for urn in failed)
    inside = changes_inside(cluster, *release, has_failed=has_failed) if release else ()
    # Without its operator no graph can be changed.
    repair = [rollback(cluster, *release, revision)] if release and inside else []
    seen = look_for_losses(stack, cluster)
    losses = seen.losses if seen else ()
    found = changes_seen(steps, failed, recorded_stack(stack))
    without_definition = bool(graphs) and cluster.ask(GRAPH_OBJECTS).said is Said.ABSENT
    if without_definition:
        # Somebody deleted it, and every graph of the cluster with it.
        definition = Subject("CustomResourceDefinition", GRAPHS, None)
        found = (*found, Change.of(definition, ("exists", "is gone"), Outcome.FIRST))
    first = (
        *repair,
        *install_again(steps, pulumi),
        *(_write_again(cluster) if without_definition else ()),
        *(loss.command for loss in losses if loss.command),
    )
    changes = (*found, *as_changes(losses), *inside)
    return DriftReport(
        stack=name,
        changes=changes,
        not_compared=tuple(map(not_compared, unread)),
        lost=tuple(map(str, losses)),
        first=tuple(dict.fromkeys(first)),
    )


def install_again(steps: Sequence[EngineStep], pulumi: PulumiCommand) -> Iterator[str]:
    """Return what brings back a release that was uninstalled.

    A refresh of everything fails: without their operator no graph can be read.
    """
    for step in steps:
        if step.operation == "delete" and own_type(step.urn) == RELEASE_TYPE:
            yield pulumi.line("refresh", "--target", f"**:Release::{urn_name(step.urn)}")
            yield pulumi.line("up")


def _write_again(cluster: ClusterCommands) -> Iterator[str]:
    """Return what makes the operator write its definitions: it does whenever its pod starts.

    Source: init container crd-apply of ai-dynamo/dynamo deploy/helm/charts/platform/components/operator.
    """
    for operator in cluster.ask(DEPLOYMENTS, labelSelector=OPERATOR_LABELS).items:
        metadata = operator["metadata"]
        where = (f"deployment/{metadata['name']}", "--namespace", metadata["namespace"])
        for command in ("restart", "status"):
            yield cluster.command("rollout", command, *where)


def unreadable_graphs(urns: Sequence[str], cluster: ClusterReader) -> tuple[str, ...]:
    """Return those of these graphs that Pulumi cannot read: nobody converts them to the program's version."""
    if not urns or operator_answers(cluster):
        return ()
    stored = f"nvidia.com/{cluster.stored_version(GRAPH_OBJECTS)}:{GRAPH_KIND}"
    return tuple(urn for urn in urns if stored not in urn)


def not_compared(urn: str) -> str:
    """Return the words about a graph that nobody could compare."""
    name = urn_name(urn)
    return f"graph {name} was not compared: the operator, which converts it, is away (runbook: operator-gone)"


def _state_of_finished_run(pulumi: PulumiCommand) -> Deployment:
    state = read_state(pulumi)
    if state.pending_operations:
        raise unfinished("", pulumi.stack)
    if is_empty(state):
        raise CommandError(
            f"stack {pulumi.stack} is not deployed: its state holds no object, so none can differ\n"
            "  try: `pulumi whoami --verbose` shows which backend this is; `pulumi up` deploys"
        )
    return state


def _steps(pulumi: PulumiCommand, unread: Sequence[str]) -> Sequence[EngineStep]:
    look = (*_LOOK, *(f"--exclude={urn}" for urn in unread))
    events, answer = ask_engine(pulumi, *look)
    if answer.returncode != 0:
        said = [message for _, message in events.errors]
        raise pulumi.failure("\n".join([*said, answer.stderr]), *look)
    return events.steps
