"""The message for a person when AWS refuses a part of the stack: the answer, the setting, what to type."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pulumi
import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

# aws-sdk-go-v2: errors that the service's model names come without "api error", all others, so EC2's, with.
_ANSWER = re.compile(
    r"operation error (?P<service>[^:]+): (?P<operation>\w+), .*?https response error "
    r"StatusCode: (?P<status>\d+),(?: RequestID: (?P<request>[^,\s]*),)? (?:api error )?"
    r"(?P<code>[A-Za-z][\w.]*)(?:: (?P<message>.*))?",
    re.DOTALL,
)
# terraform-provider-aws, internal/service/eks/node_group.go: an issue of the node group's health, after the
# ids of what has it. Issues come minutes after the request, so that no request id belongs to them.
_ISSUE = re.compile(
    r"unexpected state '(?P<state>\w+)', wanted target '[^']*'\. last error: (?P<issues>.+)", re.DOTALL
)
_ISSUE_CODE = re.compile(r"\b(?P<code>[A-Z][A-Za-z0-9]+): (?P<message>[^\n]*)")
_CODE_OF_EC2 = re.compile(r"(?:^|\. )(?P<code>[A-Z][\w.]+) - (?P<message>.+)", re.DOTALL)
_TIMEOUT = re.compile(r"timeout while waiting for state to become '(?P<wanted>[^']+)'[^\n]*")
# How a provider's message goes on, for example with what else went wrong.
_END = re.compile(r"\n\s*(?:\n|\*|Please see)|: provider=aws@")

FAILED_LATER = "failed after it was made"
"""Stands for the operation where AWS accepted the request, and the resource failed later."""
TIMED_OUT = "timeout"
"""The code of a wait that ended."""


@dataclass(frozen=True, slots=True)
class AwsError:
    """A refusal of AWS, or a failure of what it had accepted."""

    operation: str
    """Such as CreateNodegroup; FAILED_LATER where no request was refused."""
    code: str
    """Such as VcpuLimitExceeded. That of EC2 where EKS passes one on."""
    message: str
    request_id: str | None
    """Id by which AWS's support finds the request."""
    service: str = ""
    """Such as EKS; empty where no request was refused."""


def aws_error(text: str) -> AwsError | None:
    """Return what AWS said; None where the text holds no answer of AWS."""
    if found := _ANSWER.search(text):
        code, message = _innermost(found["code"], _one_line(found["message"] or ""))
        return AwsError(found["operation"], code, message, found["request"] or None, found["service"])
    if (found := _ISSUE.search(text)) and (issue := _ISSUE_CODE.search(found["issues"])):
        code, message = _innermost(issue["code"], _one_line(issue["message"]))
        return AwsError(FAILED_LATER, code, message, None)
    if found := _TIMEOUT.search(text):
        return AwsError(FAILED_LATER, TIMED_OUT, _one_line(found[0]), None)
    return None


NODES = "{nodes}"
"""Stands for the key of the nodes that the resource belongs to: nodePools[], or cluster.systemNodes."""


class Refusal(BaseModel):
    """A row of the table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    codes: tuple[str, ...]
    operations: tuple[str, ...] = ("*",)
    says: tuple[str, ...] = ("",)
    """One of these, in small letters, must stand in the message."""
    settings: tuple[str, ...] = ()
    """Keys in the stack's file that can cause it; empty: it is not in the file."""
    means: str
    do: str = "`dynamo-stack preflight STACK` says what is missing and what to type"
    page: str = "aws-refused"

    def fits(self, error: AwsError) -> bool:
        """Whether the row is about this error."""
        return (
            any(fnmatchcase(error.code, code) for code in self.codes)
            and any(fnmatchcase(error.operation, operation) for operation in self.operations)
            and any(words in error.message.lower() for words in self.says)
        )


@cache
def refusals() -> tuple[Refusal, ...]:
    """Return the table, whose first row that fits is taken."""
    text = Path(__file__).with_name("refusals.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Refusal, ...]).validate_python(yaml.safe_load(text))


def refusal_of(error: AwsError) -> Refusal | None:
    """Return the first row that fits; None for what the table does not know."""
    return next((row for row in refusals() if row.fits(error)), None)


# An answer to a caller without rights can hold an encoded message of a thousand characters.
_LONGEST_MESSAGE = 400


def refused_text(failed: pulumi.ErrorHookArgs, stack: str) -> str | None:
    """Return what to tell the person; None where the provider did not pass on an answer of AWS."""
    error = aws_error(failed.errors[0] if failed.errors else "")
    if error is None:
        return None
    line = refusal_of(error)
    what = f"{failed.type.rsplit(':', 1)[-1]} {failed.name}"
    failed_later = error.operation == FAILED_LATER
    lines = [
        f"AWS made {what}, which does not work: {error.code}"
        if failed_later
        else f"AWS refused {error.service} {error.operation} for {what}: {error.code}"
    ]
    if error.message:
        cut = "…" if len(error.message) > _LONGEST_MESSAGE else ""
        lines.append(f"  {error.message[:_LONGEST_MESSAGE]}{cut}")
    if error.request_id:
        lines.append(f"Request id, for AWS's support: {error.request_id}")
    if line:
        nodes = "cluster.systemNodes" if failed.name.startswith("system-nodes") else "nodePools[]"
        keys = ", ".join(key.replace(NODES, nodes) for key in line.settings)
        lines += [f"Setting: {keys} (Pulumi.{stack}.yaml)"] if keys else []
        lines.append(f"What it means: {line.means}.")
    do = line.do.replace("STACK", stack) if line else "mend what AWS's words name"
    then = f"then run `pulumi up --stack {stack}` again: it continues from here"
    if failed_later and failed.failed_operation == "create":
        # The state has the resource by now: an `up` would take it for done (pulumi/pulumi#17881).
        then = f"then run `pulumi up --stack {stack} --replace '{failed.urn}'`, which makes it anew"
    lines.append(f"What to do: {do}; {then}.")
    lines.append(f"Runbook: docs/runbook/{line.page if line else 'aws-refused'}.md")
    return "\n".join(lines)


def _innermost(code: str, message: str) -> tuple[str, str]:
    """Return the second of "AsgInstanceLaunchFailures: Could not launch … VcpuLimitExceeded - You have …"."""
    found = _CODE_OF_EC2.search(message)
    return (found["code"], found["message"]) if found else (code, message)


def _one_line(message: str) -> str:
    return " ".join(_END.split(message, maxsplit=1)[0].split())
