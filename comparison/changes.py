"""What lies between two recordings of a stack, resource by resource, and what the engine makes of it."""

from enum import Enum
from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, computed_field, field_serializer
from pydantic.dataclasses import dataclass

from comparison.result import RESULT, AnyValue
from resource_graph.values import Path


class Operation(Enum):
    """What the engine does with one resource."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    FORGET = "forget"
    """It leaves the program and stays in the cluster or account: `retain_on_delete`."""
    KEEP = "keep"
    """It stays as it is; the engine treats it otherwise from now on, and protects it, say."""


class Change(Enum):
    """How one field differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class Effect(Enum):
    """What follows from another value of one field."""

    IN_PLACE = "in place"
    ROLLS_PODS = "rolls pods"
    REPLACES = "replaces"
    REFUSED = "refused by the API server"
    ROLLS_NODES = "rolls nodes"


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class FieldChange:
    """One field; where it holds YAML or JSON as text, one field of that text."""

    path: Path
    """Keys and positions from the resource's inputs; into YAML or JSON where a text holds that."""
    change: Change
    before: AnyValue = None
    """Null where it is added; `(known after the update)` for what only the update will know."""
    after: AnyValue = None
    effect: Effect = Effect.IN_PLACE
    is_secret: bool = False
    """The values are marks, and null in JSON."""

    @field_serializer("before", "after", mode="wrap")
    def _shown(self, value: Any, serialized: SerializerFunctionWrapHandler) -> Any:
        return None if self.is_secret else serialized(value)


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class ResourceChange:
    """One resource that is not the same on both sides."""

    urn: str
    """On the side where it is; on the newer one where it is on both."""
    type: str
    title: str
    """`ConfigMap gpt-oss/engine-files`, or type and name of what is no Kubernetes object."""
    operation: Operation
    goes: str | None = Field(default=None, exclude=True)
    """Title of what a replacement takes away, where the new one has another: a namespace that is renamed."""
    fields: tuple[FieldChange, ...] = ()
    renamed_from: str | None = None
    """Name of before, where only a hash of the content in it is another: changed, not removed and added."""
    deletes_first: bool = False
    """Of a replacement: the old one goes before the new one comes."""
    is_protected: bool = False
    """The engine refuses to delete it."""
    is_stateful: bool = False
    """It holds what cannot be made again from the program: volumes, clusters, purchases."""
    reasons: tuple[str, ...] = ()
    """Why it is replaced or refused, or what it does beside: one plain sentence each."""

    @property
    def ends(self) -> bool:
        """Whether the object that is there goes."""
        return self.operation in {Operation.DELETE, Operation.REPLACE}

    @computed_field
    @property
    def is_refused(self) -> bool:
        """Whether the API server, a webhook or the engine says no."""
        is_kept = self.is_protected and self.ends
        return is_kept or any(each.effect is Effect.REFUSED for each in self.fields)
