"""The command line of `dynamo-stack check`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from pathlib import Path
from typing import Annotated

import typer

from cli.completion import complete_stack
from cli.stack_argument import stack_name


def check_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STACK]",
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Judge a stack, or anybody's YAML: exit 1 on a mandatory finding, 2 on what cannot be understood."""
    from cli.check import check_files, check_stack

    if file:
        check_files([*file, *map(Path, names or [])], pool or [], platform, as_json=as_json)
    elif platform is not None:
        raise typer.BadParameter(
            "goes with --file; a stack's settings say its platform", param_hint="--platform"
        )
    elif pool:
        raise typer.BadParameter(
            "goes with --file; the pools of a stack stand in its settings", param_hint="--pool"
        )
    elif names and len(names) == 1:
        check_stack(stack_name(names[0]), as_json=as_json)
    else:
        raise typer.BadParameter("give one STACK, or --file FILE…")
