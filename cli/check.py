"""`dynamo-stack check`."""

# ruff: noqa: PLC0415
# Each command imports what it needs when it runs: Pulumi's SDK alone takes longer to load than `list` runs.

import datetime as dt
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cli.check_input import WatchedGraph, read_files
from cli.check_table import print_report
from cli.documents.judged import check_document
from cli.exit_codes import FAILED, UNREADABLE
from cli.output import print_result
from cli.stack_argument import AsJson, complete_stack, refuse, stack_name
from operations.errors import CommandError
from resource_graph import ResourceGraph
from resource_graph.input_text import input_name
from resource_graph.manifest_yaml import SettingLines
from rules.catalogue import rules_on, run_rules
from rules.reading.pools import read_pools
from stacks.stack_files import PREFIX, SUFFIX, list_stacks, stack_directory

_NAMED_FILES = 3


def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STACK",
            help="Name of a stack; with --file, more files.",
            autocompletion=complete_stack,
        ),
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            "--file",
            "-f",
            metavar="FILE…",
            help="Anybody's Kubernetes YAML, or what `pulumi stack export` wrote; - reads standard input.",
        ),
    ] = None,
    pool: Annotated[
        list[str] | None,
        typer.Option(
            "--pool",
            metavar="TYPE=NODES",
            help="With --file: nodes that it runs on, such as p6e-gb200.36xlarge=2. May be repeated.",
        ),
    ] = None,
    platform: Annotated[
        str | None,
        typer.Option(
            "--platform",
            metavar="VERSION",
            help="With --file: the Dynamo platform that it is for, such as 1.2.1; else its images say it.",
        ),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Judge; exit 1 on a mandatory finding, 2 on what cannot be understood."""
    typed = names or []
    if file:
        paths = [*file, *map(Path, typed)]
        _refuse_stacks(paths, typed)
        _check_files(paths, pool or [], platform, as_json=as_json)
        return
    _refuse_files(typed)
    of_files = "goes with --file; a stack's settings say its {}"
    refuse("--platform", platform is not None, of_files.format("platform"))
    refuse("--pool", pool, of_files.format("pools"))
    if len(typed) != 1:
        raise typer.BadParameter("give one STACK, or --file FILE…")
    _check_stack(stack_name(typed[0]), as_json=as_json)


def _refuse_files(names: Sequence[str]) -> None:
    """Raise CommandError where a file of objects was named as a stack."""
    stacks = list_stacks(stack_directory(Path.cwd()))
    typed = [each for each in names if Path(each).is_file() and stack_name(each) not in stacks]
    # The file of a stack of another folder holds no objects either.
    files = [each for each in typed if not (Path(each).name.startswith(PREFIX) and each.endswith(SUFFIX))]
    if files:
        raise _misplaced(f"{files[0]}: a file, in the place of a stack", f"--file {shlex.join(files)}")


def _refuse_stacks(paths: Sequence[Path], names: Sequence[str]) -> None:
    """Raise CommandError where a stack was named, or its file, as a file of objects."""
    directory = stack_directory(Path.cwd())
    read = set(map(os.path.realpath, paths))
    for stack in list_stacks(directory):
        source = f"{PREFIX}{stack}{SUFFIX}"
        is_named = stack in names and not Path(stack).is_file()
        if is_named or os.path.realpath(directory / source) in read:
            said = "a stack, whose file holds no objects; --file judges nothing but files"
            raise _misplaced(f"{source}: {said}", stack)


def _misplaced(said: str, words: str) -> CommandError:
    return CommandError(f"{said}\n  allowed: one STACK, or --file FILE…\n  try: dynamo-stack check {words}")


def _check_stack(name: str, *, as_json: bool) -> None:
    """Judge what the program registers for the stack."""
    from operations.project import recorded_stack, resolved_stack
    from stacks.plan.stack_plan import in_phase
    from stacks.settings.load import SETTINGS_KEY

    stack = resolved_stack(name)
    file = stack_directory(Path.cwd()) / stack.source
    lines = SettingLines(file.read_text(encoding="utf-8"), stack.source, SETTINGS_KEY)
    # A graph that waits for its window is judged before the hours that it costs begin.
    graph = recorded_stack(in_phase(stack, "active"))
    _judge(graph, f"stack {name}", as_json=as_json, lines=lines)


def _check_files(paths: Sequence[Path], pools: Sequence[str], platform: str | None, *, as_json: bool) -> None:
    """Judge anybody's manifests, or a stack's exported state, beside what was named."""
    from cli.resource_limits import bounded

    # A rendered folder has dozens of files; each finding names its own.
    names = [input_name(path) for path in paths]
    subject = ", ".join(names) if len(names) <= _NAMED_FILES else f"{len(names)} files"

    with bounded(subject):
        _judge(read_files(paths, pools, platform), subject, as_json=as_json)


def _judge(graph: ResourceGraph, subject: str, *, as_json: bool, lines: SettingLines | None = None) -> None:
    today = dt.datetime.now(dt.UTC).date()
    rules = rules_on(today)
    watched = WatchedGraph(graph)
    report = run_rules(watched, rules, today=today)
    found = check_document(report, watched, subject, rules, lines)
    knows_pools = bool(read_pools(graph))
    code = FAILED if found.stops else 0 if found.understood else UNREADABLE
    print_result(
        "check", found, lambda each: print_report(each, knows_pools=knows_pools), as_json=as_json, code=code
    )
