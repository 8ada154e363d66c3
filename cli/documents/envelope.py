"""The first two keys of every JSON document: which one it is, and in which version."""

from collections.abc import Mapping
from typing import Literal

Command = Literal[
    "check",
    "diff",
    "doctor",
    "drift",
    "explain",
    "list",
    "pools",
    "preflight",
    "preview",
    "recover",
    "size",
    "smoke",
]

VERSIONS: Mapping[Command, int] = {
    "check": 1,
    "diff": 2,
    "doctor": 1,
    "drift": 2,
    "explain": 2,
    "list": 1,
    "pools": 1,
    "preflight": 1,
    "preview": 2,
    "recover": 1,
    "size": 1,
    "smoke": 1,
}
"""Command -> version of its document.

A version rises by one when a key goes, or another meaning takes its place; a new key leaves it as it is, so a
reader ignores keys that it does not know.
"""


def schema_name(command: Command) -> str:
    """Return the value of `schema` in the documents of a command, such as dynamo-stack/drift."""
    return f"dynamo-stack/{command}"
