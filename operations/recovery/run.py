"""Runs the steps of a plan, each announced before it begins."""

from collections.abc import Callable, Sequence

from operations.pulumi_command import PulumiCommand
from operations.recovery.cluster import ClusterCommands
from operations.recovery.state import read_state
from operations.recovery.steps import Step


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
        if not step.forgiven or read_state(pulumi).pending:
            return step
        say("not everything is ready, as is to be expected now; the interrupted operations are dropped")
    return None


def _succeeds(
    step: Step, pulumi: PulumiCommand, cluster: ClusterCommands, say_error: Callable[[str], None]
) -> bool:
    if step.program == "pulumi" and not step.quiet:
        return pulumi.stream(*step.arguments, variables=step.variables) == 0
    if step.program == "pulumi":
        printed = pulumi.capture(*step.arguments, variables=step.variables)
    else:
        printed = cluster.run(step.program, *step.arguments)
    if printed.code != 0:
        say_error(f"{printed.out}{printed.err}".strip())
    return printed.code == 0
