"""What is known of each type of resource: the data of kubernetes.yaml and account.yaml."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

from comparison.changes import FieldChange
from resource_graph import Resource, value_at
from resource_graph.urns import RELEASE_TYPE
from resource_graph.values import Path as FieldPath

IDENTITY = ("metadata.name", "metadata.namespace")
"""For which every Kubernetes object is replaced."""
AWS_PROVIDER = "pulumi:providers:aws"
CAPACITY_BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"

Patterns = tuple[str, ...]
"""Fields as `spec.containers.*.image`, where `*` stands for one key or one item of a list."""


class ResourceType(BaseModel):
    """One type; the files say what each key means."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True)

    replaced_for: Patterns = ()
    because: tuple[str, ...] = ()
    grows_only: Patterns = ()
    refused: Patterns = ()
    restarts_pods: Patterns = ()
    scales: Patterns = ()
    restarts_nodes: Patterns = ()
    in_place: str | None = None
    is_tagged: bool = False
    is_stateful: bool = False


_FILES = ("kubernetes.yaml", "account.yaml")
_UNKNOWN = ResourceType()


@cache
def resource_types() -> Mapping[str, ResourceType]:
    """Return all types of both files, by kind and group or by their token."""
    folder = Path(__file__).parent
    data: dict[str, Any] = {}
    for name in _FILES:
        data |= yaml.safe_load((folder / name).read_text(encoding="utf-8"))
    return TypeAdapter(dict[str, ResourceType]).validate_python(data)


def type_of(resource: Resource) -> ResourceType:
    """Return what is known of the resource's type: nothing of one that neither file has."""
    key = resource.type
    if resource.kind is not None and key != RELEASE_TYPE:
        group = (resource.api_version or "").rpartition("/")[0]
        key = f"{resource.kind}.{group}" if group else resource.kind
    return resource_types().get(key, _UNKNOWN)


def is_stateful(resource: Resource) -> bool:
    """Return whether the resource holds data, a purchase, or all that lives in it."""
    claims = value_at(resource.inputs, ("spec", "volumeClaimTemplates"))
    return type_of(resource).is_stateful or (resource.kind == "StatefulSet" and bool(claims))


def touches(change: FieldChange, patterns: Iterable[str]) -> bool:
    """Return whether the change lies at or under a pattern, or is of a part around it."""
    return any(_begins(change.path, pattern.split(".")) for pattern in patterns)


def under(change: FieldChange, patterns: Iterable[str]) -> bool:
    """Return whether the change is at one of the patterns, or below it."""
    steps = (pattern.split(".") for pattern in patterns)
    return any(len(change.path) >= len(each) and _begins(change.path, each) for each in steps)


def _begins(path: FieldPath, steps: Sequence[str]) -> bool:
    return all(step in {"*", str(part)} for part, step in zip(path, steps, strict=False))
