"""The command line of `dynamo-stack pools`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from typing import Annotated

import typer


def pools_command(
    context: Annotated[
        str,
        typer.Option("--context", metavar="CONTEXT", help="Of the kubeconfig; never the current one."),
    ],
    kubeconfig: Annotated[
        str | None,
        typer.Option("--kubeconfig", metavar="FILE", help="Instead of the KUBECONFIG environment variable."),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of YAML.")] = False,
) -> None:
    """Print the GPU nodes of an existing cluster as nodePools to paste into a stack file."""
    from cli.pools import pools

    pools(context, kubeconfig, as_json=as_json)
