"""The command line of `dynamo-stack doctor`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from typing import Annotated

import typer

from cli.stack_argument import OptionalStackArgument, stack_name


def doctor_command(
    stack: OptionalStackArgument = None,
    *,
    context: Annotated[
        str | None,
        typer.Option("--context", metavar="CONTEXT", help="Of a graph that others deployed: its cluster."),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option("--namespace", "-n", metavar="NAMESPACE", help="With --context: where it is."),
    ] = None,
    graph: Annotated[
        str | None,
        typer.Option("--graph", metavar="NAME", help="With --context: which one, where there are several."),
    ] = None,
    record: Annotated[
        bool,
        typer.Option("--record", help="Keep for `explain`, in evidence.local.csv, that it serves."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Say why a deployment does not serve, and what to type: exit 0 healthy, 1 sick, 2 if it cannot look."""
    from cli.doctor import doctor, doctor_of_graph

    if stack is not None and (context or namespace or graph):
        raise typer.BadParameter(
            "a stack's settings say its cluster", param_hint="--context, --namespace, --graph"
        )
    if stack is not None:
        doctor(stack_name(stack), as_json=as_json, keeps=record)
    elif record:
        raise typer.BadParameter("goes with a STACK", param_hint="--record")
    elif context and namespace:
        doctor_of_graph(context, namespace, graph, as_json=as_json)
    else:
        raise typer.BadParameter("give a STACK, or --context and --namespace")
