"""A policy names its actions and its resources."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.program.iam_documents import Grant, Statement, read_grants

_READ_ONLY = ("Describe", "Get", "List")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for grant in read_grants(graph):
        # What cannot be read, the rule about wildcards says already.
        if not isinstance(grant, Grant):
            continue
        for name in grant.managed:
            if name.endswith("FullAccess") and not name.startswith("IAM"):
                yield failed(grant.resource, grant.resource.name, f"attaches the managed policy {name}")
        for statement in grant.statements:
            message = _wide(statement)
            if message is not None:
                yield failed(grant.resource, grant.resource.name, message)


def _wide(statement: Statement) -> str | None:
    services = [action for action in statement.actions if action.endswith(":*") and action != "*:*"]
    if services:
        return f"allows {', '.join(services)}"
    changing = [action for action in statement.actions if not _only_reads(action)]
    if "*" in statement.resources and changing:
        return f"allows {', '.join(changing)} on every resource"
    return None


def _only_reads(action: str) -> bool:
    _, colon, verb = action.partition(":")
    # Without a service it is a wildcard, which is another rule's.
    return not colon or verb.startswith(_READ_ONLY)


RULE = Rule(
    id="narrow-iam",
    title="An IAM policy names its actions and resources",
    severity=Severity.ADVISORY,
    reason="A whole service, or a change to every resource, is more than one purpose needs.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    lines=EVERY_RELEASE,
    fix="List the actions that are used, on the resources of this stack; some actions take no resource.",
    check=_check,
)
