"""What is known of each type of resource: the data of kubernetes.yaml and account.yaml."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

from comparison.nested_values import value_at
from resource_graph import Resource
from resource_graph.urns import RELEASE_TYPE

IDENTITY = ("metadata.name", "metadata.namespace")
"""For which every Kubernetes object is replaced."""
AWS = "aws:"
AWS_PROVIDER = "pulumi:providers:aws"
CAPACITY_BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
PROVIDERS = "pulumi:providers:"

Patterns = tuple[str, ...]
"""Fields as `spec.containers.*.image`, where `*` stands for one key or one item of a list."""


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True)


class Shape(_Data):
    """One part of an object, or one item of a list, as the API server reads it."""

    defaults: Mapping[str, Any] = {}
    """Field -> what an absent one stands for."""
    amounts: frozenset[str] = frozenset()
    """Fields that are Kubernetes quantities, or mappings of such."""
    parts: Mapping[str, "Shape"] = {}
    """Field -> shape of its value, or of each item where the value is a list."""
    each: "Shape | None" = None
    """Shape of every value, where the keys are names that people choose."""
    keeps_order: bool | None = None
    """Whether the order of lists counts from here on down; None: as around it."""
    drops_empty: bool = False
    """Whether an empty mapping is the same as none from here on down."""

    def part(self, key: str) -> "Shape | None":
        """Return what is known of one field."""
        return self.parts.get(key, self.each)


class ResourceType(_Data):
    """One type; the files say what each key means."""

    replaced_for: Patterns = ()
    because: tuple[str, ...] = ()
    grows_only: Patterns = ()
    refused: Patterns = ()
    restarts_pods: Patterns = ()
    restarts_nodes: Patterns = ()
    in_place: str | None = None
    is_tagged: bool = False
    is_stateful: bool = False
    shape: Shape | None = None


_FILES = ("kubernetes.yaml", "account.yaml")
_UNKNOWN = ResourceType()
_UNORDERED = Shape(keeps_order=False)
_METADATA = {"metadata": Shape(defaults={"annotations": {}, "labels": {}})}
_CUSTOM = Shape(parts=_METADATA, keeps_order=True)
_ACCOUNT = Shape(keeps_order=False, drops_empty=True)
"""The provider's schema of AWS has sets nearly everywhere, and an empty block is none."""


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
        group = group_of(resource)
        key = f"{resource.kind}.{group}" if group else resource.kind
    return resource_types().get(key, _UNKNOWN)


def group_of(resource: Resource) -> str:
    """Return the group of a Kubernetes object's API; empty for the core's."""
    return (resource.api_version or "").rpartition("/")[0]


def shape_of(resource: Resource) -> Shape | None:
    """Return how much is known of the inputs; None where every difference but the order of keys counts."""
    if resource.type.startswith((AWS, PROVIDERS)):
        return _ACCOUNT
    if resource.kind is None:
        return None
    group = group_of(resource)
    is_built_in = "." not in group or group.endswith(".k8s.io")
    return type_of(resource).shape or (_UNORDERED if is_built_in else _CUSTOM)


def is_stateful(resource: Resource) -> bool:
    """Return whether the resource holds data, a purchase, or all that lives in it."""
    has_claims = resource.kind == "StatefulSet" and value_at(resource.inputs, "spec", "volumeClaimTemplates")
    return type_of(resource).is_stateful or bool(has_claims)
