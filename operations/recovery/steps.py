"""One command of a recovery."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from operations.recovery.remains import ClusterObject

GONE_SECONDS = 600
"""How long a step waits until an object that goes is gone."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Step:
    """A command, and what is said before it runs."""

    says: str
    program: Literal["pulumi", "helm", "kubectl"]
    arguments: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Environment of this one command."""
    forgiven: bool = False
    """Whether a failure is none as long as no operation is pending any more."""
    quiet: bool = False
    """Whether its output is shown only when it fails."""
    ends: ClusterObject | None = None
    """The object that is gone when it has succeeded."""


def kubectl_arguments(verb: str, item: ClusterObject, *options: str) -> tuple[str, ...]:
    """A kubectl command on one object, by a kind that kubectl reads without doubt: `Job.v1.batch`."""
    namespace = ("--namespace", item.namespace) if item.namespace else ()
    return (verb, f"{resource_argument(item)}/{item.name}", *namespace, *options)


def resource_argument(item: ClusterObject) -> str:
    """The kind with version and group: `Job.v1.batch`, `ConfigMap.v1.`."""
    group, _, version = item.api_version.rpartition("/")
    return f"{item.kind}.{version}.{group}"
