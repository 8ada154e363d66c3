"""What a person reads when AWS refuses a part of the stack."""

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
    """What the engine knows of it."""

    urn: str
    resource_type: str
    """Such as aws:eks/nodeGroup:NodeGroup."""
    name: str
    """Of the resource in the program."""
    operation: str
    """create, update or delete."""
    error: str
    """What the provider said last."""
    stack: str


def refused_text(failed: FailedRequest, typed: StackFile) -> str | None:
    """Return what to tell the person; None where the provider did not pass on an answer of AWS.

    Args:
        failed: the operation that did not succeed.
        typed: the settings, for the one that caused it.

    """
    error = aws_error(failed.error)
    if error is None:
        return None
    line = refusal_of(error)
    lines = [_headline(failed, error)]
    if error.message:
        lines.append(f"  {_shortened(error.message)}")
    if error.request_id:
        lines.append(f"Request id, for AWS's support: {error.request_id}")
    lines += [f"Setting: {typed.line(key)}" for key in _causes(failed, line, typed)]
    if line:
        lines.append(f"What it means: {line.means}.")
    do = line.do.replace("STACK", failed.stack) if line else "mend what AWS's words name"
    lines.append(f"What to do: {do}; {_again(failed, error)}.")
    lines.append(f"Runbook: docs/runbook/{line.page if line else _PAGE}.md")
    return "\n".join(lines)


def _headline(failed: FailedRequest, error: AwsError) -> str:
    what = f"{failed.resource_type.rsplit(':', 1)[-1]} {failed.name}"
    if error.operation == FAILED_LATER:
        return f"AWS made {what}, which does not work: {error.code}"
    return f"AWS refused {error.service} {error.operation} for {what}: {error.code}"


def _causes(failed: FailedRequest, line: Refusal | None, typed: StackFile) -> list[str]:
    """The keys that somebody typed; where nobody typed any, the first, whose default it is."""
    nodes = typed.nodes_of(failed.name)
    keys = [
        key.replace(NODES, nodes or "")
        for key in (line.settings if line else _settings_of(failed.resource_type))
        if nodes or NODES not in key
    ]
    return [key for key in keys if typed.value(key) is not None] or keys[:1]


def _settings_of(resource_type: str) -> tuple[str, ...]:
    found = (keys for prefix, keys in _SETTINGS_OF_TYPES.items() if resource_type.startswith(prefix))
    return next(found, ("cluster.name",))


def _again(failed: FailedRequest, error: AwsError) -> str:
    if error.operation == FAILED_LATER and failed.operation == "create":
        # It is in the state by now: an `up` would take it for done (pulumi/pulumi#17881).
        return f"then run `pulumi up --stack {failed.stack} --replace '{failed.urn}'`, which makes it anew"
    return f"then run `pulumi up --stack {failed.stack}` again: it continues from here"


def _shortened(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}…"
