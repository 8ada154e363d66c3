"""`dynamo-stack check`."""

# ruff: noqa: PLC0415
# Each command imports what it needs when it runs: Pulumi's SDK alone takes longer to load than `list` runs.

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import typer

from cli.check_coverage import WatchedGraph
from cli.check_json import report_data
from cli.check_table import print_report
from cli.exit_codes import FAILED, UNREADABLE
from cli.output import make_console, print_json
from resource_graph import ResourceGraph
from resource_graph.input_text import input_name
from rules.catalogue import rules_on
from rules.run import run_rules

_NAMED_FILES = 3


def check_stack(name: str, *, as_json: bool) -> None:
    """Judge what the program registers for the stack."""
    from operations.project import recorded_stack, resolved_stack
    from stacks.plan.stack_plan import with_open_windows

    # A graph that waits for its window is judged before the hours that it costs begin.
    _check(recorded_stack(with_open_windows(resolved_stack(name))), f"stack {name}", as_json=as_json)


def check_files(paths: Sequence[Path], pools: Sequence[str], platform: str | None, *, as_json: bool) -> None:
    """Judge anybody's manifests, or a stack's exported state, beside what was named."""
    from cli.bounded import bounded
    from cli.check_input import read_files

    # A rendered folder has dozens of files; each finding names its own.
    names = [input_name(path) for path in paths]
    subject = ", ".join(names) if len(names) <= _NAMED_FILES else f"{len(names)} files"
    with bounded(subject):
        _check(read_files(paths, pools, platform), subject, as_json=as_json)


def _check(graph: ResourceGraph, subject: str, *, as_json: bool) -> None:
    today = dt.datetime.now(dt.UTC).date()
    rules = rules_on(today)
    watched = WatchedGraph(graph)
    report = run_rules(watched, rules, today=today)
    if as_json:
        print_json(report_data(report, watched, subject, rules))
    else:
        print_report(make_console(), report, watched, subject, len(rules))
    if report.stops:
        raise typer.Exit(FAILED)
    if not watched.is_understood():
        raise typer.Exit(UNREADABLE)
