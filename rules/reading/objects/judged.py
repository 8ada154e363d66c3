"""Every mistake in the structure of a graph's objects, and how sure it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph, value_at
from resource_graph.spelling import most_alike
from resource_graph.values import Path
from rules.reading.objects.definitions import candidates, other_lines
from rules.reading.objects.mistakes import Mistake, find_mistakes
from rules.reading.objects.relations import relation_mistakes
from rules.reading.objects.schemas import SURE, Schema, schema_at
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, pods_by_resource, readable
from rules.reading.shapes import memoized

_SERVICE_STEP = 2
"""Position of the service's name in the path of one of its parts: spec.services.NAME."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A mistake in one object."""

    resource: Resource
    mistake: Mistake
    line: str
    """Name of the release by whose schema the object has the mistake."""
    schema: Schema
    """Schema of the whole object in that release."""
    elsewhere: tuple[str, ...]
    """Names of other releases, in which the object has no such mistake."""
    doubt: str | None
    """Why the object may have no mistake in this release either; None where the mistake is sure."""

    @property
    def subject(self) -> str:
        """Name of the service or component that has the mistake, else of the object."""
        resource, path = self.resource, self.mistake.path
        if resource.kind != GRAPH_KIND or len(path) <= _SERVICE_STEP or path[0] != "spec":
            return resource.name
        if path[1] == "services":
            return str(path[_SERVICE_STEP])
        name = value_at(resource.inputs, (*path[:3], "name")) if path[1] == "components" else None
        return name if isinstance(name, str) else resource.name


@memoized
def read_mistakes(graph: ResourceGraph) -> Sequence[Judged]:
    """Every mistake in the graph's objects, in the order of the graph."""
    return tuple(judged for resource in graph.kubernetes_objects() for judged in _judge(graph, resource))


def _judge(graph: ResourceGraph, resource: Resource) -> Iterator[Judged]:
    held = candidates(graph, resource)
    # A patch of somebody else's object holds only a part of one.
    if held is None or resource.type.endswith("Patch"):
        return
    # No release of Kubernetes judges these by a schema.
    pods = tuple(readable(pods_by_resource(graph).get(resource.urn, ())))
    others = [mistake for template in pods for mistake in relation_mistakes(template)]
    found = {
        line: [*find_mistakes(resource.inputs, schema), *others] for line, schema in held.by_line.items()
    }
    # In the words of the newest release that makes it.
    newest = {_key(mistake): (line, mistake) for line, items in found.items() for mistake in items}
    for key, (line, mistake) in newest.items():
        right = tuple(other for other, items in found.items() if all(_key(item) != key for item in items))
        every, schema = list(found), held.by_line[line]
        shown = line if right or len(every) == 1 else f"each known release, {every[0]} to {every[-1]}"
        doubt: str | None = None
        if right:
            doubt = f"nothing says which release it is for, and {' and '.join(right)} would take it"
        elif held.unheld is not None:
            if not (_is_one_anywhere(mistake, schema) or _is_of_pods(mistake, pods)):
                doubt = f"the schema of {held.unheld} is not known here, that of {shown} is"
        elif mistake.kind == "unknown" and len(every) == 1:
            right = _lines_with(resource, mistake.path)
            # The release of a graph is told.
            if right and resource.kind != GRAPH_KIND:
                doubt = f"{right[0]} has it, and nothing says which release the cluster runs"
        yield Judged(resource, mistake, shown, schema, right, doubt)


def _key(mistake: Mistake) -> tuple[Path, str]:
    return mistake.path, mistake.kind


def _is_one_anywhere(mistake: Mistake, schema: Schema) -> bool:
    """Whether every release refuses it: a wrong type, an amount that is none, or nearly a known field."""
    parent, due = schema_at(schema, mistake.path[:-1]), schema_at(schema, mistake.path)
    if mistake.kind == "unknown" and parent is not None:
        return most_alike(str(mistake.path[-1]), parent.names, SURE) is not None
    if mistake.kind == "value":
        return due is not None and {*due.kinds} == {"integer", "string"}
    return mistake.kind == "type"


def _is_of_pods(mistake: Mistake, pods: Sequence[PodTemplate]) -> bool:
    """Whether Kubernetes refuses it inside a specification of pods, whatever a graph's own release takes."""
    return mistake.kind in {"missing", "relation"} and any(
        mistake.path[: len(pod.at)] == pod.at and len(mistake.path) > len(pod.at) + 1 for pod in pods
    )


def _lines_with(resource: Resource, path: Path) -> tuple[str, ...]:
    """The releases of which a schema of the object's kind has the field."""
    return tuple(
        line
        for line, schema in other_lines(resource)
        if (parent := schema_at(schema, path[:-1])) is not None and path[-1] in parent.names
    )
