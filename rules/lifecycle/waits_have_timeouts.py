"""A wait for gigabytes is given more time than the provider's default."""

from collections.abc import Iterator

from resource_graph import Aspect, ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.program.waits import Wait, long_waits


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for wait in long_waits(graph):
        if not isinstance(wait, Wait):
            resource, reason = wait
            yield undecided(resource, resource.name, str(reason))
        elif wait.untimed:
            yield failed(
                wait.resource,
                wait.resource.name,
                f"is waited for {wait.what}, and nothing says how long at {' and '.join(wait.untimed)}: the "
                "provider gives up after its own 10 minutes",
            )


RULE = Rule(
    id="waits-have-timeouts",
    title="The waits for a download and for a graph have time limits of their own",
    severity=Severity.MANDATORY,
    reason=(
        "The provider gives up after ten minutes, which is less than a large model takes to download or to "
        "load: the update fails although nothing is wrong, and what comes after it is not created."
    ),
    source=(
        "pulumi/pulumi-kubernetes provider/pkg/await/await.go and provider/pkg/metadata at a03ff6ba58d2 "
        "(customTimeouts, then pulumi.com/timeoutSeconds, then 10 min)"
    ),
    lines=("pulumi-kubernetes of 2026-06",),
    fix="Set customTimeouts for create and update, from the size of the model and the speed of its storage.",
    check=_check,
    reads=frozenset({Aspect.PROTECTION}),
)
