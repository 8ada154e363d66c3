"""Pods that read a ConfigMap or a Secret: whether they start again when its content changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from comparison.changes import Effect, FieldChange, Operation, ResourceChange
from comparison.engine_verdicts.verdict import touches
from resource_graph import Resource, ResourceGraph
from resource_graph.resource import Path
from rules.reading.pods.pods import WORKER_TYPES, PodTemplate, read_pods, readable
from rules.reading.references import Reference, read_references
from rules.reading.shapes import Undecided, attempted

_KINDS = frozenset({"ConfigMap", "Secret"})
_CONTENT = ("data", "binaryData", "stringData")
_RUN_ONCE = frozenset({"Job", "CronJob"})
_SERVICES = frozenset({"components", "services"})
_SERVICE_AT = 2


@dataclass(frozen=True, slots=True)
class Readers:
    """Pod templates of the newer side, and the objects that each names."""

    templates: Sequence[tuple[PodTemplate, frozenset[Reference]]]

    def of(self, resource: Resource) -> tuple[PodTemplate, ...]:
        """Return the templates of pods that run on and read the object."""
        return tuple(
            template
            for template, references in self.templates
            if template.resource.kind not in _RUN_ONCE
            and (template.resource.namespace or "default") == (resource.namespace or "default")
            and any((each.kind, each.name) == (resource.kind, resource.object_name) for each in references)
        )


def read_readers(head: Iterable[Resource]) -> Readers:
    """Return who reads what; pods that cannot be read are left out."""
    found: list[tuple[PodTemplate, frozenset[Reference]]] = []
    for template in readable(read_pods(ResourceGraph(head))):
        references = attempted(read_references, template)
        if not isinstance(references, Undecided):
            found.append((template, frozenset(references)))
    return Readers(tuple(found))


def holds_content(resource: Resource) -> bool:
    """Return whether it is a ConfigMap or a Secret."""
    return resource.kind in _KINDS


def changes_content(fields: Iterable[FieldChange]) -> bool:
    """Return whether what pods would read differs."""
    return any(is_content(each) for each in fields)


def is_content(change: FieldChange) -> bool:
    """Return whether the field is what pods would read."""
    return touches(change, _CONTENT)


def not_restarted(
    templates: Iterable[PodTemplate], changes: Mapping[str, ResourceChange], readers: Readers
) -> tuple[PodTemplate, ...]:
    """Return those of the templates whose pods run on with what they have read before."""
    return tuple(each for each in templates if not _restarts(each, changes.get(each.resource.urn), readers))


def _restarts(template: PodTemplate, change: ResourceChange | None, readers: Readers) -> bool:
    if change is None:
        return False
    if change.operation in {Operation.CREATE, Operation.REPLACE}:
        return True
    rolled = [each.path for each in change.fields if each.effect is Effect.ROLLS_PODS]
    if template.shape == "workload" or not all(map(_is_of_service, rolled)):
        return bool(rolled)
    names = {path[_SERVICE_AT] for path in rolled}
    # Another template of one worker restarts all of them (facts/previews.md §3d).
    return template.name in names or (_is_worker(template) and bool(names & _workers(template, readers)))


def _is_of_service(path: Path) -> bool:
    return len(path) > _SERVICE_AT and path[1] in _SERVICES


def _workers(template: PodTemplate, readers: Readers) -> set[str]:
    urn = template.resource.urn
    return {each.name for each, _ in readers.templates if each.resource.urn == urn and _is_worker(each)}


def _is_worker(template: PodTemplate) -> bool:
    return template.component_type in WORKER_TYPES
