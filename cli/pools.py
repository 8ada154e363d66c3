"""`dynamo-stack pools`: the nodes with GPUs of a cluster, as a stack file names them."""

from typing import Annotated

import typer

from cli.exit_codes import FAILED
from cli.output import print_document
from cli.yaml_text import as_comment, to_yaml
from operations.node_pools.pools import FoundPool, FoundPools, find_pools
from stacks.wording import in_words


def pools(
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
    """Print `nodePools`; exit 1 where no node can be used."""
    found = find_pools(context, kubeconfig)
    if as_json:
        print_document("pools", found.as_json())
    else:
        typer.echo(pools_text(found), nl=False)
    if not found.pools:
        raise typer.Exit(FAILED)


def pools_text(found: FoundPools) -> str:
    """YAML to paste below `dynamo-stack:settings`; what the cluster does not say as comments."""
    used = sum(pool.settings["nodes"] for pool in found.pools)
    blocks = [as_comment(f"{in_words(used, 'node')} with GPUs of context {found.context}")]
    blocks += [as_comment(f"left out: {', '.join(each.nodes)}: {each.reason}") for each in found.left_out]
    if found.pools:
        blocks += ["nodePools:\n", *map(_pool_text, found.pools)]
    return "".join(blocks)


def _pool_text(pool: FoundPool) -> str:
    _, _, entry = to_yaml({"nodePools": [dict(pool.settings)]}).partition("\n")
    return as_comment("\n".join(pool.notes)) + entry
