"""`dynamo-stack pools`: the nodes with GPUs of a cluster, as a stack file names them."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from cli.exit_codes import FAILED
from cli.output import print_result
from cli.stack_argument import AsJson
from cli.yaml_text import as_comment, to_yaml
from operations.node_pools.pools import FoundPools, find_pools
from stacks.wording import in_words


def pools(
    context: Annotated[
        str,
        typer.Option("--context", metavar="CONTEXT", help="Of the kubeconfig; never the current one."),
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Print `nodePools`; exit 1 where no node can be used."""
    found = find_pools(context)
    print_result("pools", found, _print, as_json=as_json, code=0 if found.node_pools else FAILED)


def _print(found: FoundPools) -> None:
    """Print YAML to paste below `dynamo-stack:settings`; what the cluster does not say as comments."""
    used = sum(pool["nodes"] for pool in found.node_pools)
    blocks = [as_comment(f"{in_words(used, 'node')} with GPUs of context {found.context}")]
    blocks += [as_comment(f"left out: {', '.join(each.nodes)}: {each.reason}") for each in found.left_out]
    if found.node_pools:
        pools = (_pool_text(pool, found.notes[pool["name"]]) for pool in found.node_pools)
        blocks += ["nodePools:\n", *pools]
    typer.echo("".join(blocks), nl=False)


def _pool_text(pool: Mapping[str, Any], notes: Iterable[str]) -> str:
    _, _, entry = to_yaml({"nodePools": [dict(pool)]}).partition("\n")
    return as_comment("\n".join(notes)) + entry
