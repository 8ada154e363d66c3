"""AWS's own answer, out of the words of its Pulumi provider."""

import re
from dataclasses import dataclass

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


def _innermost(code: str, message: str) -> tuple[str, str]:
    """Return the second of "AsgInstanceLaunchFailures: Could not launch … VcpuLimitExceeded - You have …"."""
    found = _CODE_OF_EC2.search(message)
    return (found["code"], found["message"]) if found else (code, message)


def _one_line(message: str) -> str:
    return " ".join(_END.split(message, maxsplit=1)[0].split())
