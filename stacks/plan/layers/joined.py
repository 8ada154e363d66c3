"""Whether the layers of other stacks are there, and are what this stack's file says.

The program asks before it registers anything: a difference would show up minutes later as pods that fit no
node, or as workers that look for NATS in the wrong place.
"""

from collections.abc import Callable, Iterator, Mapping

from resource_graph.spelling import nearest
from stacks.errors import Problem
from stacks.plan.layers.contract import VERSION, VERSION_KEY, exported, pool_key, pools_in
from stacks.plan.layers.layering import FROM_BELOW, JoinedLayer, Layering
from stacks.settings.stack import Layer

Outputs = Mapping[str, object]

_NOTHING_DONE = "nothing was created or changed"


def owner_problems(layers: Layering, read_outputs: Callable[[str], Outputs | None]) -> tuple[Problem, ...]:
    """Return why this stack cannot stand on the layers of others; nothing where it can.

    Args:
        layers: what this stack joins.
        read_outputs: from a stack's name to its outputs, empty before its first `up`; None where there is no
            such stack.

    """
    return tuple(
        problem
        for layer, joined in layers.joined.items()
        for problem in _problems(layer, joined, read_outputs(joined.stack))
    )


def _problems(layer: Layer, joined: JoinedLayer, outputs: Outputs | None) -> Iterator[Problem]:
    key, owner = f"layerStacks.{layer}", joined.stack
    if outputs is None:
        message = f"this project has no stack of that name in this backend; {_NOTHING_DONE}"
        suggestion = f"`pulumi stack ls` shows those there are; `pulumi up --stack {owner}` makes this one"
        yield Problem(key, owner, message, suggestion=suggestion)
        return
    if not outputs:
        message = f"nothing of that stack is up, or its first `up` did not end; {_NOTHING_DONE}"
        yield Problem(key, owner, message, suggestion=f"`pulumi up --stack {owner}`, then this one")
        return
    if layer not in outputs:
        yield _without_the_layer(key, owner, layer, outputs)
        return
    theirs = exported(outputs[layer])
    version = theirs.get(VERSION_KEY)
    if version != VERSION:
        message = (
            f"that stack was brought up by another version of this project: its contract has version "
            f"{version}, and this one reads {VERSION}; {_NOTHING_DONE}"
        )
        suggestion = f"`pulumi up --stack {owner}` with this version of the project, then this one"
        yield Problem(key, owner, message, suggestion=suggestion)
        return
    yield from _differences(joined, theirs)


def _without_the_layer(key: str, owner: str, layer: Layer, outputs: Outputs) -> Problem:
    shared = [name for name in FROM_BELOW if name in outputs]
    message = f"that stack shares no {layer}; it shares {' and '.join(shared) or 'nothing'}; {_NOTHING_DONE}"
    suggestion = (
        f"the stack that owns the {layer}; or, where {owner} does, layers: […] with {layer} in "
        f"Pulumi.{owner}.yaml, then `pulumi up --stack {owner}`"
    )
    return Problem(key, owner, message, suggestion=suggestion)


def _differences(joined: JoinedLayer, theirs: Mapping[str, object]) -> Iterator[Problem]:
    owner, mine = joined.stack, joined.contract.values
    there = pools_in(theirs)
    absent = [pool for pool in pools_in(mine) if pool not in there]
    for pool in absent:
        message = f"stack {owner}, which makes the nodes, has no pool of that name; {_NOTHING_DONE}"
        allowed = ", ".join(there)
        yield Problem("nodePools", pool, message, allowed=allowed, suggestion=nearest(pool, there))
    for setting, value in mine.items():
        other = theirs.get(setting)
        if other == value or setting.startswith(tuple(pool_key(pool, "") for pool in absent)):
            continue
        has, suggestion = "none", f"as in Pulumi.{owner}.yaml"
        if other not in {None, ""}:
            has = str(other)
            suggestion = (
                f"{setting}: {other}, or change Pulumi.{owner}.yaml and `pulumi up --stack {owner}` first"
            )
        message = f"stack {owner}, which owns the {joined.contract.layer}, has {has}; {_NOTHING_DONE}"
        yield Problem(setting, None if value == "" else value, message, suggestion=suggestion)
