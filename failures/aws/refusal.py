"""A line of the table of what AWS refuses."""

import re
from dataclasses import dataclass

from failures.aws.errors import AwsError

NODES = "{nodes}"
"""Stands for the key of the nodes that the resource belongs to, such as nodePools[0]."""
PREFLIGHT = "`dynamo-stack preflight STACK` says what is missing and what to type"
NODES_PAGE = "gpu-nodes-not-joining"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line of the table."""

    codes: str
    """A regular expression for all of the code."""
    settings: tuple[str, ...]
    """Keys in the stack's file that can cause it; empty: it is not in the file."""
    means: str
    do: str
    operations: str = ""
    """A regular expression for all of the operation; empty: any."""
    says: str = ""
    """A regular expression that the message must hold; empty: any."""
    page: str = "aws-refused"

    def fits(self, error: AwsError) -> bool:
        """Whether the line is about this error."""
        return (
            re.fullmatch(self.codes, error.code) is not None
            and (not self.operations or re.fullmatch(self.operations, error.operation) is not None)
            and re.search(self.says, error.message, re.IGNORECASE) is not None
        )
