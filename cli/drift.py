"""`dynamo-stack drift`: what somebody changed in the cluster behind the stack's back."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from cli.exit_codes import FAILED
from cli.output import make_console, make_sections, make_table, print_json, print_line, print_table
from operations.drift.engine import changes_seen, deployed_release, unready_objects
from operations.drift.graphs import not_compared, unreadable_graphs, unready_graphs
from operations.drift.losses import as_changes, losses_seen
from operations.drift.release import changes_inside, repair_command
from operations.drift.report import DriftReport, columns
from operations.errors import CommandError
from operations.project import resolved_stack
from operations.pulumi_command import PulumiCommand
from operations.recovery.cluster import ClusterCommands
from operations.recovery.locks import read_locks
from operations.recovery.remains import StackState
from operations.recovery.state import read_state
from resource_graph.engine_state import read_steps
from resource_graph.urns import RELEASE_TYPE
from stacks.errors import SettingsError
from stacks.updates.guards.cluster_identity import cluster_problems

# Changes neither state nor cluster; without --preview-only it would record the drift as what is wanted.
_LOOK = ("refresh", "--preview-only", "--json")
_RELEASE = f"{RELEASE_TYPE}::"
_SHOWN_LINES = 12


def drift(name: str, *, as_json: bool) -> None:
    """Print what differs; exit 1 if anything does.

    Raises:
        SettingsError: the settings cannot be used, or the kubeconfig leads to another cluster.
        CommandError: it cannot be told whether anything differs.

    """
    report = _report(name)
    if as_json:
        print_json(report.as_json())
    else:
        _print(report)
    if report.changes:
        raise typer.Exit(FAILED)


def _report(name: str) -> DriftReport:
    stack = resolved_stack(name)
    problems = cluster_problems(stack.cluster, os.environ)
    if problems:
        raise SettingsError({stack.source: problems})
    cluster = ClusterCommands.of(stack.cluster)
    pulumi = PulumiCommand.of_stack(name)
    state = _state_of_finished_run(pulumi)
    # The provider reads what a server that does not answer no longer says as deleted, or not at all.
    cluster.require_answer()
    unread = unreadable_graphs(state, cluster)
    answer = _answer(pulumi, unread)
    steps = read_steps(answer["steps"])
    release = deployed_release(steps)
    has_failed = any(_RELEASE in urn for urn in state.failed)
    inside = changes_inside(cluster, *release, has_failed=has_failed) if release else ()
    repair = repair_command(cluster, *release) if release and inside else None
    unready = (*map(not_compared, unread), *unready_objects(answer), *unready_graphs(state, cluster))
    losses = losses_seen(stack, cluster)
    changes = (*changes_seen(steps, state.failed), *as_changes(losses), *inside)
    return DriftReport(name, changes, repair, unready, losses)


def _state_of_finished_run(pulumi: PulumiCommand) -> StackState:
    state = read_state(pulumi)
    recover = (
        f"  try: wait for a run that is alive; after one that died, `dynamo-stack recover {pulumi.stack}`"
    )
    locks = read_locks(pulumi)
    if locks:
        held = "; ".join(str(lock) for lock in locks)
        raise CommandError(f"a run holds the lock ({held}), and what it changes is no drift\n{recover}")
    if state.pending:
        raise CommandError(f"a run was interrupted, and what it had begun is no drift\n{recover}")
    if state.is_empty:
        raise CommandError(
            f"stack {pulumi.stack} is not deployed: its state holds no object, so none can differ\n"
            "  try: `pulumi whoami --verbose` shows which backend this is; `pulumi up` deploys"
        )
    return state


def _answer(pulumi: PulumiCommand, unread: Sequence[str]) -> Mapping[str, Any]:
    look = (*_LOOK, *(f"--exclude={urn}" for urn in unread))
    answer = pulumi.capture(*look)
    try:
        document: dict[str, Any] = json.loads(answer.out)
    except ValueError:
        document = {}
    said = [str(each.get("message", "")) for each in document.get("diagnostics") or []]
    if answer.code != 0 or "steps" not in document:
        text = "\n".join([*said, answer.err.strip()]).strip().splitlines()[-_SHOWN_LINES:]
        shown = "".join(f"\n  {line}" for line in text if line.strip())
        raise CommandError(f"`{pulumi.line(*look)}` failed:{shown}")
    return document


def _print(report: DriftReport) -> None:
    console = make_console()
    print_line(console, report.headline())
    if report.changes:
        print_line(console)
        table = make_table("OBJECT", "FIELD", "EXPECTED", "FOUND", "CHANGED BY", "`pulumi up --refresh`")
        for change in report.changes:
            table.add_row(*columns(change))
        print_table(console, table)
    print_line(console)
    sections = make_sections()
    for label, text in report.advice():
        sections.add_row(label, text)
    print_table(console, sections)
