"""What two resource graphs of one stack differ in, object by object, in the order in which `up` goes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from operations.drift.property_paths import MISSING, shown, shown_path
from resource_graph import Resource, ResourceGraph, Value
from resource_graph.resource import Path
from resource_graph.urns import RELEASE_TYPE
from stacks.updates.nested_values import leaves_by_path

Action = Literal["created", "changed", "deleted"]


@dataclass(frozen=True, slots=True)
class ChangedField:
    """One value of an object."""

    path: str
    before: str
    after: str

    def as_json(self) -> dict[str, str]:
        """The same for a program."""
        return {"path": self.path, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class ChangedObject:
    """One object that the next `up` touches."""

    name: str
    """Kind, namespace and name."""
    action: Action
    fields: tuple[ChangedField, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The same for a program."""
        return {
            "object": self.name,
            "action": self.action,
            "fields": [field.as_json() for field in self.fields],
        }


def changed_objects(before: ResourceGraph, after: ResourceGraph) -> tuple[ChangedObject, ...]:
    """Return what `up` creates and changes, in its order, and then what it deletes."""
    wanted = [each for each in after.in_creation_order() if _is_object(each)]
    gone = [each for each in before if _is_object(each) and after.find(each.urn) is None]
    return (
        *(change for each in wanted if (change := _change(before.find(each.urn), each))),
        *(ChangedObject(_object_name(each), "deleted") for each in gone),
    )


def _is_object(resource: Resource) -> bool:
    return resource.custom and not resource.type.startswith("pulumi:")


def _change(before: Resource | None, after: Resource) -> ChangedObject | None:
    if before is None:
        return ChangedObject(_object_name(after), "created")
    fields = tuple(_fields(before, after))
    return ChangedObject(_object_name(after), "changed", fields) if fields else None


def _fields(before: Resource, after: Resource) -> Iterator[ChangedField]:
    old, new = leaves_by_path(_open(before)), leaves_by_path(_open(after))
    for path in dict.fromkeys((*new, *old)):
        was, becomes = old.get(path, MISSING), new.get(path, MISSING)
        if was != becomes and not (_is_in_path(path, was) or _is_in_path(path, becomes)):
            parts = tuple(int(part) if part.isdigit() else part for part in path)
            yield ChangedField(shown_path(parts), shown(was), shown(becomes))


def _is_in_path(path: tuple[str, ...], value: object) -> bool:
    """Whether it is the name of a list item, by which the path calls the item already."""
    return path[-2:] == (value, "name")


def _open(resource: Resource) -> Mapping[str, Value]:
    """Return the inputs without secrets: none of them is read here, so that none can differ."""
    return {key: value for key, value in resource.inputs.items() if not _is_secret((key,), resource)}


def _is_secret(path: Path, resource: Resource) -> bool:
    return any(secret[: len(path)] == path for secret in resource.secret_paths or ())


def _object_name(resource: Resource) -> str:
    inputs: Any = resource.inputs
    kind = resource.kind or resource.type.rpartition(":")[2]
    if resource.type == RELEASE_TYPE:
        name, namespace = inputs.get("name"), inputs.get("namespace")
    else:
        name, namespace = resource.object_name, resource.namespace
    where = f"{namespace}/" if isinstance(namespace, str) else ""
    return f"{kind} {where}{name if isinstance(name, str) else resource.name}"
