"""The message for a person when AWS refuses a part of the stack: the answer, the setting, what to type."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, cast

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
"""Stands for the key of the nodes that the resource belongs to, such as nodePools[0]."""


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


SYSTEM_NODES = "cluster.systemNodes"
_PART = re.compile(r"[^.\[\]]+")


@dataclass(frozen=True, slots=True)
class StackFile:
    """A stack's file."""

    source: str
    """Name of the file, as a person writes it: Pulumi.mine.yaml."""
    values: object
    """As YAML has them."""

    def value(self, key: str) -> object:
        """Return the value at a key such as nodePools[0].zone; None where there is none."""
        found: Any = self.values
        for part in _PART.findall(key):
            items = (
                {str(index): item for index, item in enumerate(found)} if isinstance(found, list) else found
            )
            found = cast("Any", items).get(part) if isinstance(items, Mapping) else None
        return found

    def nodes_of(self, resource_name: str) -> str | None:
        """Return the key of the nodes that a resource belongs to, by the resource's name in the program."""
        if resource_name.startswith("system-nodes"):
            return SYSTEM_NODES
        pools = self.value("nodePools")
        if not isinstance(pools, Sequence):
            return None
        names = [pool.get("name") if isinstance(pool, Mapping) else None for pool in cast("Any", pools)]
        of_it = [name for name in names if name and f"{resource_name}-".startswith(f"{name}-nodes-")]
        # Both "a" and "a-nodes" begin the name of the template of pool "a-nodes".
        return f"nodePools[{names.index(max(of_it, key=len))}]" if of_it else None

    def line(self, key: str) -> str:
        """Return the setting as a line: file, key, value."""
        value = self.value(key)
        if value is None:
            return f"{self.source}: {key}, not typed"
        # Behind a value alone YAML ends the document.
        text, *_ = yaml.safe_dump(
            value, default_flow_style=True, sort_keys=False, width=math.inf
        ).splitlines()
        return f"{self.source}: {key} = {text}"


# An answer to a caller without rights can hold an encoded message of a thousand characters.
_LONGEST_MESSAGE = 400


def refused_text(failed: pulumi.ErrorHookArgs, stack_file: StackFile, stack: str) -> str | None:
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
        lines += [f"Setting: {stack_file.line(key)}" for key in _causes(failed, line, stack_file)]
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


def _causes(failed: pulumi.ErrorHookArgs, line: Refusal, stack_file: StackFile) -> list[str]:
    """Return the keys that the file sets; where it sets none, the first, whose default it is."""
    nodes = stack_file.nodes_of(failed.name)
    keys = [key.replace(NODES, nodes or "") for key in line.settings if nodes or NODES not in key]
    return [key for key in keys if stack_file.value(key) is not None] or keys[:1]
