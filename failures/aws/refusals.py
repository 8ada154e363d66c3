"""Which setting makes AWS refuse what, and what to type then: refusals.yaml."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from failures.aws.answer import AwsError

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
            _is_one_of(error.code, self.codes)
            and _is_one_of(error.operation, self.operations)
            and any(words in error.message.lower() for words in self.says)
        )


@cache
def refusals() -> tuple[Refusal, ...]:
    """Return the table, whose first row that fits is taken."""
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Refusal, ...]).validate_python(yaml.safe_load(text))


def refusal_of(error: AwsError) -> Refusal | None:
    """Return the first row that fits; None for what the table does not know."""
    return next((row for row in refusals() if row.fits(error)), None)


def _is_one_of(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
