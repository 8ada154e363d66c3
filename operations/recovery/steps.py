"""One command of a recovery, and how it is run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from failures.deletion import undeleted
from failures.explanation import Subject
from operations.commands import ClusterCommands, PulumiCommand
from operations.recovery.stack_state import ClusterObject, read_state


@dataclass(frozen=True)
class Step:
    """A command, and what is said before it runs."""

    says: str
    program: Literal["pulumi", "helm", "kubectl"]
    arguments: tuple[str, ...]
    variables: Mapping[str, str] | None = None
    """Environment of this one command; None: as every other."""
    forgiven: bool = False
    """Whether a failure is none as long as no operation is pending any more."""
    ends: ClusterObject | None = None
    """The object that is gone when it has succeeded."""


def command_line(step: Step, pulumi: PulumiCommand, cluster: ClusterCommands) -> str:
    """The exact command of a step."""
    if step.program == "pulumi":
        return pulumi.line(*step.arguments, variables=step.variables)
    return cluster.line(step.program, *step.arguments)


def run_steps(
    steps: Sequence[Step],
    pulumi: PulumiCommand,
    cluster: ClusterCommands,
    say: Callable[[str], None],
    say_error: Callable[[str], None],
) -> Step | None:
    """Runs them in order and returns the one that failed, None when all went well."""
    for number, step in enumerate(steps, start=1):
        say(f"\n{number}/{len(steps)} {step.says}")
        say(f"$ {command_line(step, pulumi, cluster)}")
        if _succeeds(step, pulumi, cluster, say_error):
            continue
        if not step.forgiven or read_state(pulumi).pending_operations:
            return step
        say("not everything is ready, as is to be expected now; the interrupted operations are dropped")
    return None


def what_holds(item: ClusterObject, cluster: ClusterCommands) -> str:
    """Say why an object that was to go is still there: its finalizers, and those of a graph's parts."""
    return undeleted(cluster, Subject(item.kind, item.name, item.namespace)).text()


def _succeeds(
    step: Step, pulumi: PulumiCommand, cluster: ClusterCommands, say_error: Callable[[str], None]
) -> bool:
    if step.program == "pulumi":
        return pulumi.stream(*step.arguments, variables=step.variables) == 0
    printed = cluster.run(step.program, *step.arguments)
    if printed.returncode != 0:
        say_error(f"{printed.stdout}{printed.stderr}".strip())
    return printed.returncode == 0
