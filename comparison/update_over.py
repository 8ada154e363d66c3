"""What a stack does to the one that the other side has recorded, as if that one ran."""

from dataclasses import dataclass, replace

from comparison.recording import RecordedNotice, RecordedUpdate, StackRecording
from comparison.secret_text import without_secrets
from stacks.plan.stack_plan import StackPlan
from stacks.updates.deployed import UNKNOWN_CREATOR
from stacks.updates.guards.refused_changes import refused_changes
from stacks.updates.imagined_state import state_of
from stacks.updates.planned_update import FIRST, Update, planned_update
from stacks.updates.rollout_beside_running import beside_what_runs


@dataclass(frozen=True, slots=True)
class UpdateOver:
    """An update of one recording to a stack."""

    stack: StackPlan
    """The stack with the rollouts that there is room for beside what runs."""
    registered: Update
    """What decides how the program registers its resources."""
    recorded: RecordedUpdate


def update_over(stack: StackPlan, running: StackRecording) -> UpdateOver:
    """Return what `pulumi up` of the stack does where everything of the recording runs.

    The program asks the cluster, too: who has scaled a service by hand, whether a volume is lost, how many
    GPUs others use. A comparison asks nobody, so nothing of that is in it.
    """
    before = state_of(running.resources)
    problems = refused_changes(stack, before, running.fixed)
    if problems:
        # The program ends there, and tells nothing else.
        refused = tuple(without_secrets(each.text(stack.source)) for each in problems)
        return UpdateOver(stack, FIRST, RecordedUpdate(refused=refused))
    beside = beside_what_runs(stack, before)
    update = planned_update(beside, before)
    recorded = RecordedUpdate(
        notices=tuple(RecordedNotice(without_secrets(each.text), each.warns) for each in update.notices),
        restarts_workers=update.restarts_workers,
        interruption=update.interruption,
    )
    # Nobody says who made the cluster: the state has it, and the recording of the other side has not.
    return UpdateOver(beside, replace(update, creator=UNKNOWN_CREATOR), recorded)
