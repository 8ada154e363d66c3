"""The command line of `dynamo-stack smoke`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from typing import Annotated

import typer

from cli.stack_argument import OptionalStackArgument, stack_name


def smoke_command(
    stack: OptionalStackArgument = None,
    *,
    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            metavar="URL",
            help="An address, such as http://localhost:8000; with STACK: where it runs by Docker Compose.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="With --url alone: the model to ask; else that of most recipes."
        ),
    ] = None,
    disaggregated: Annotated[
        bool,
        typer.Option("--disaggregated", help="With --url alone: prefill workers of their own are expected."),
    ] = False,
    api_key_from: Annotated[
        str | None,
        typer.Option(
            "--api-key-from",
            metavar="VARIABLE",
            help="With --url: environment variable whose value is sent as a bearer token.",
        ),
    ] = None,
    wait: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", min=0, help="For model and workers to be listed.")
    ] = 60.0,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.001, help="For each answer, to its end.")
    ] = 120.0,
    record: Annotated[
        bool,
        typer.Option("--record", help="Keep for `explain`, in evidence.local.csv, that a STACK serves."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Ask a running model what its clients will ask, once workers have registered: exit 1 if wrong."""
    from cli.smoke import smoke, smoke_at, smoke_stack_at
    from operations.smoke.waits import Patience

    if stack is None and url is None:
        raise typer.BadParameter("give a STACK, a --url URL, or both")
    if record and (stack is None or url is not None):
        raise typer.BadParameter("goes with a STACK in its cluster", param_hint="--record")
    patience = Patience(wait, timeout)
    if stack is None:
        smoke_at(str(url), model, api_key_from, patience, disaggregated=disaggregated, as_json=as_json)
        return
    for option, value in (("--model", model), ("--disaggregated", disaggregated)):
        if value:
            raise typer.BadParameter("goes with --url alone; a stack's settings say it", param_hint=option)
    if url is not None:
        smoke_stack_at(stack_name(str(stack)), url, api_key_from, patience, as_json=as_json)
        return
    if api_key_from:
        raise typer.BadParameter("goes with --url", param_hint="--api-key-from")
    smoke(stack_name(str(stack)), patience, as_json=as_json, keeps=record)
