"""The message for a person when AWS refuses a part of the stack."""

from collections.abc import Mapping
from dataclasses import dataclass

from failures.aws.answer import FAILED_LATER, AwsError, aws_error
from failures.aws.refusals import NODES, Refusal, refusal_of
from failures.aws.stack_file import StackFile

# An answer to a caller without rights can hold an encoded message of a thousand characters.
_LONGEST_MESSAGE = 400
_PAGE = "aws-refused"

# Where the table does not know AWS's code: what the resource is made of.
_SETTINGS_OF_TYPES: Mapping[str, tuple[str, ...]] = {
    "aws:eks/nodeGroup:": (f"{NODES}.instanceType", f"{NODES}.purchase.kind"),
    "aws:ec2/launchTemplate:": (f"{NODES}.instanceType", f"{NODES}.purchase.kind"),
    "aws:ec2/placementGroup:": (f"{NODES}.nodes",),
    "aws:autoscaling/": (f"{NODES}.purchase.starts",),
    "aws:fsx/": ("modelCache.storage.kind", "modelCache.size"),
    "aws:efs/": ("modelCache.storage.kind",),
    "aws:ec2/": ("cluster.network.kind",),
    "aws:vpc/": ("cluster.network.kind",),
}


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request to AWS that failed, as the engine knows it."""

    urn: str
    resource_type: str
    """Such as aws:eks/nodeGroup:NodeGroup."""
    name: str
    """The resource's name in the program."""
    operation: str
    """create, update or delete."""
    error: str
    """The provider's last words."""
    stack: str


def refused_text(failed: FailedRequest, stack_file: StackFile) -> str | None:
    """Return what to tell the person; None where the provider did not pass on an answer of AWS."""
    error = aws_error(failed.error)
    if error is None:
        return None
    line = refusal_of(error)
    lines = [_headline(failed, error)]
    if error.message:
        cut = "…" if len(error.message) > _LONGEST_MESSAGE else ""
        lines.append(f"  {error.message[:_LONGEST_MESSAGE]}{cut}")
    if error.request_id:
        lines.append(f"Request id, for AWS's support: {error.request_id}")
    lines += [f"Setting: {stack_file.line(key)}" for key in _causes(failed, line, stack_file)]
    if line:
        lines.append(f"What it means: {line.means}.")
    do = line.do.replace("STACK", failed.stack) if line else "mend what AWS's words name"
    lines.append(f"What to do: {do}; {_how_to_go_on(failed, error)}.")
    lines.append(f"Runbook: docs/runbook/{line.page if line else _PAGE}.md")
    return "\n".join(lines)


def _headline(failed: FailedRequest, error: AwsError) -> str:
    what = f"{failed.resource_type.rsplit(':', 1)[-1]} {failed.name}"
    if error.operation == FAILED_LATER:
        return f"AWS made {what}, which does not work: {error.code}"
    return f"AWS refused {error.service} {error.operation} for {what}: {error.code}"


def _causes(failed: FailedRequest, line: Refusal | None, stack_file: StackFile) -> list[str]:
    """Return the keys that the file sets; where it sets none, the first, whose default it is."""
    nodes = stack_file.nodes_of(failed.name)
    keys = [
        key.replace(NODES, nodes or "")
        for key in (line.settings if line else _settings_of(failed.resource_type))
        if nodes or NODES not in key
    ]
    return [key for key in keys if stack_file.value(key) is not None] or keys[:1]


def _settings_of(resource_type: str) -> tuple[str, ...]:
    found = (keys for prefix, keys in _SETTINGS_OF_TYPES.items() if resource_type.startswith(prefix))
    return next(found, ("cluster.name",))


def _how_to_go_on(failed: FailedRequest, error: AwsError) -> str:
    if error.operation == FAILED_LATER and failed.operation == "create":
        # The state has the resource by now: an `up` would take it for done (pulumi/pulumi#17881).
        return f"then run `pulumi up --stack {failed.stack} --replace '{failed.urn}'`, which makes it anew"
    return f"then run `pulumi up --stack {failed.stack}` again: it continues from here"
