"""The end of an `up`: it is done when the graph is ready and the claim has its volume, and not before."""

import asyncio
from collections.abc import Callable

import pulumi

from components.cluster_reader import ClusterReader
from failures.engine_process import makes_resources
from failures.health import ServingObjects, health_problems
from stacks.plan.stack_plan import StackPlan
from stacks.updates.guards.foreign_and_lost import objects_of

_PAUSE_SECONDS = 2.0
# An API server that starts anew is back in seconds, and one that is gone keeps nobody for the graph's hour.
_SILENT_SECONDS = 60.0

Watch = Callable[[pulumi.Resource], None]
"""Asks, once the graph is as it was asked for, whether all of it works."""


def no_watch(_: pulumi.Resource) -> None:
    """Ask nothing: there is no cluster."""


def watch_of(stack: StackPlan, reader: Callable[[], ClusterReader]) -> Watch:
    """Return what ends the program with an error where something does not work when its time is over.

    A program that ends so has its deletions undone: the engine deletes what no program asks for any more,
    such as the engine files of the version before, only after one that went well.

    Args:
        stack: everything that was decided.
        reader: what looks at the cluster, once that is there.

    """
    served = objects_of(stack)
    # A graph that is to go need not be well first.
    if not served.graph or pulumi.runtime.is_dry_run() or not makes_resources():
        return no_watch

    def watch(graph: pulumi.Resource) -> None:
        graph.urn.apply(lambda _: _until_well(stack, served, reader, graph))

    return watch


async def _until_well(
    stack: StackPlan, served: ServingObjects, reader: Callable[[], ClusterReader], graph: pulumi.Resource
) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + stack.serving.ready_timeout_seconds
    said, heard = False, loop.time()
    while True:
        problems = await asyncio.to_thread(lambda: health_problems(reader(), served))
        if not problems:
            return
        if not any(each.about == "silence" for each in problems):
            heard = loop.time()
        over = loop.time() >= min(deadline, heard + _SILENT_SECONDS)
        if over or not all(each.may_pass for each in problems):
            told = "\n".join(each.text(stack.name) for each in problems)
            raise pulumi.RunError(
                f"stack {stack.name} does not serve, though nothing is left to change:\n{told}"
            )
        if not said:
            pulumi.log.info(f"waits: {problems[0].what}", graph)
            said = True
        await asyncio.sleep(_PAUSE_SECONDS)
