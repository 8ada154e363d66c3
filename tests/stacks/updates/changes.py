"""A stack that runs, and what the next `up` does to it: the state is made from what the program registers."""

import json
from dataclasses import dataclass

from resource_graph import ResourceGraph
from resource_graph.recorder import record
from stacks.plan.stack_plan import StackPlan
from stacks.program.deploy_stack import deploy
from stacks.updates.beside_what_runs import beside_what_runs
from stacks.updates.planned_update import Update, planned_update
from stacks.updates.running import Running, running_of
from tests.components.recorded import recorded
from tests.stacks.changed_settings import Settings
from tests.support.alpha_graphs import with_alpha_graphs
from tests.support.dev_settings import resolved


@dataclass(frozen=True)
class PlannedChange:
    """An update with the stack that it leads to."""

    stack: StackPlan
    update: Update

    @property
    def texts(self) -> list[str]:
        """Everything that preview says."""
        return [notice.text for notice in self.update.notices]

    @property
    def text(self) -> str:
        """The one thing that preview says."""
        [text] = self.texts
        return text

    @property
    def old_first(self) -> bool | None:
        """Whether another graph waits for the end of the one that runs; None where none takes its place."""
        return self.update.replacement.old_first if self.update.replacement else None

    @property
    def strategies(self) -> dict[str, str]:
        """Worker -> RollingUpdate or Recreate."""
        workers = self.stack.serving.placed.workers
        return {worker.role: worker.placement.rollout.strategy for worker in workers if worker.placement}


def state(settings: Settings) -> Running:
    """What the engine has in its state after a first `up` with these settings."""
    return _state(recorded(settings))


def alpha_state(settings: Settings) -> Running:
    """The same where the graph was written as v1alpha1."""
    return _state(with_alpha_graphs(recorded(settings)))


def state_after(change: PlannedChange) -> Running:
    """What the engine has in its state when the update is through."""

    def program() -> None:
        deploy(change.stack, None, change.update)

    return _state(record(program, project="dynamo-stack", stack="recorded"))


def _state(graph: ResourceGraph) -> Running:
    resources = {resource.urn: {"__inputs": dict(resource.inputs)} for resource in graph}
    # The engine has no whole numbers.
    return running_of(json.loads(json.dumps(resources, default=str), parse_int=float), {})


def update(before: Settings | Running, after: Settings) -> PlannedChange:
    """From one `up` to the next."""
    running = before if isinstance(before, Running) else state(before)
    stack, wanted = beside_what_runs(resolved(after), running)
    return PlannedChange(stack, planned_update(stack, wanted, running))
