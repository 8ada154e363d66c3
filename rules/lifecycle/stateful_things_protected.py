"""What a stack holds for good cannot be deleted by mistake."""

from collections.abc import Iterator

from resource_graph import Aspect, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.program.lifecycle import PRODUCTION, declared_lifecycle
from rules.reading.program.stateful import read_stateful
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    unprotected = [each for each in read_stateful(graph) if each.resource.protect is not True]
    if not unprotected:
        return
    try:
        lifecycle = declared_lifecycle(graph)
        reason = "no component says by its input lifecycle whether the stack is production or disposable"
    except Undecided as unknown:
        lifecycle, reason = None, str(unknown)
    for each in unprotected:
        if lifecycle is None:
            yield undecided(each.resource, each.resource.name, f"is not protected, and {reason}")
        elif lifecycle == PRODUCTION:
            yield failed(
                each.resource,
                each.resource.name,
                f"is not protected, in a stack of lifecycle {lifecycle}: {each.loss}",
            )


RULE = Rule(
    id="stateful-things-protected",
    title="In production, volumes and what holds them are protected",
    severity=Severity.MANDATORY,
    reason=(
        "A rename, a changed immutable field or a destroy of the wrong stack deletes them, and what was "
        "stored is gone; protected, the engine refuses."
    ),
    source="https://www.pulumi.com/docs/iac/concepts/resources/options/protect/",
    lines=EVERY_RELEASE,
    fix="Set the option protect, or declare the stack disposable.",
    check=_check,
    reads=frozenset({Aspect.PROTECTION}),
)
