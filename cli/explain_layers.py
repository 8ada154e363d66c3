"""Who owns what, where a team has a stack for each layer."""

from collections.abc import Iterator

from cli.output import Row
from stacks.plan.stack_plan import StackPlan


def layer_rows(stack: StackPlan) -> Iterator[Row]:
    """Return what this stack owns and who has what it stands on; nothing where all is in one."""
    layers = stack.layers
    if not layers.shared and not layers.joined:
        return
    texts = [f"this stack owns {' and '.join(layers.own)}, and nothing else of what its file describes"]
    texts += [
        f"{layer} is stack {joined.stack}'s: `dynamo-stack explain {joined.stack}`"
        for layer, joined in layers.joined.items()
    ]
    yield "LAYERS", "; ".join(texts)


def joined_cluster(stack: StackPlan) -> str | None:
    """Return the cluster that another stack makes; None for any other."""
    joined = stack.layers.joined.get("infrastructure")
    if joined is None:
        return None
    values = joined.contract.values
    place = f"in {values['cluster.region']}, account {values['cluster.accountId']}"
    return f"eks {values['cluster.name']} {place}, made by stack {joined.stack}"


def joined_platform(stack: StackPlan) -> str | None:
    """Return who runs the platform; None where it is this stack, or nobody of this project."""
    joined = stack.layers.joined.get("platform")
    return f"run by stack {joined.stack}" if joined else None
