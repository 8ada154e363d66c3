"""No role may do everything."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.program.iam_documents import Grant, Statement, read_grants

_EVERYTHING = frozenset({"*", "*:*"})
_MANAGED = frozenset({"AdministratorAccess", "PowerUserAccess", "IAMFullAccess"})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for grant in read_grants(graph):
        if not isinstance(grant, Grant):
            resource, reason = grant
            yield undecided(resource, resource.name, str(reason))
            continue
        for name in sorted(_MANAGED.intersection(grant.managed)):
            yield failed(grant.resource, grant.resource.name, f"attaches the managed policy {name}")
        for statement in grant.statements:
            message = _too_wide(statement)
            if message is not None:
                yield failed(grant.resource, grant.resource.name, message)


def _too_wide(statement: Statement) -> str | None:
    if not _EVERYTHING.isdisjoint(statement.actions):
        return f"allows every action on {', '.join(statement.resources) or 'its resource'}"
    if statement.all_but:
        return f"allows every action but {', '.join(statement.all_but)} (NotAction)"
    return (
        "can be assumed by anybody: its principal is *, without a condition"
        if statement.for_anybody
        else None
    )


RULE = Rule(
    id="no-wildcard-iam",
    title="No IAM policy allows everything, or everybody",
    severity=Severity.MANDATORY,
    reason=(
        "A role for one purpose that may do everything is the account, for whoever gets hold of one pod or "
        "node that has it."
    ),
    source=(
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege; "
        "https://docs.aws.amazon.com/securityhub/latest/userguide/iam-controls.html (IAM.1)"
    ),
    lines=EVERY_RELEASE,
    fix="Name the actions and the resources.",
    check=_check,
)
