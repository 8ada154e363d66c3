"""Runs the steps of a plan, each announced before it begins."""

from collections.abc import Callable, Sequence

from cli import output
from cli.pulumi_command import PulumiCommand
from cli.recovery.cluster import ClusterCommands
from cli.recovery.state import read_state
from cli.recovery.steps import Step


def command_line(step: Step, pulumi: PulumiCommand, cluster: ClusterCommands) -> str:
    """The exact command of a step."""
    if step.program == "pulumi":
        return pulumi.line(*step.arguments, variables=step.variables)
    return cluster.line(step.program, *step.arguments)


def run_steps(
    steps: Sequence[Step], pulumi: PulumiCommand, cluster: ClusterCommands, say: Callable[[str], None]
) -> Step | None:
    """Runs them in order and returns the one that failed, None when all went well."""
    for number, step in enumerate(steps, start=1):
        say(f"\n{number}/{len(steps)} {step.says}")
        say(f"$ {command_line(step, pulumi, cluster)}")
        if _succeeds(step, pulumi, cluster):
            continue
        if not step.forgiven or read_state(pulumi).pending:
            return step
        say("not everything is ready, as is to be expected now; the interrupted operations are dropped")
    return None


def _succeeds(step: Step, pulumi: PulumiCommand, cluster: ClusterCommands) -> bool:
    if step.program == "pulumi" and not step.quiet:
        return pulumi.stream(*step.arguments, variables=step.variables) == 0
    if step.program == "pulumi":
        printed = pulumi.capture(*step.arguments, variables=step.variables)
    else:
        printed = cluster.run(step.program, *step.arguments)
    if printed.code != 0:
        output.say(f"{printed.out}{printed.err}".strip(), error=True)
    return printed.code == 0
