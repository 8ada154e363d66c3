"""The field that a finding is about: what its message names in the part of the object that it judges."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Path, Resource, ResourceGraph, Value, value_at
from rules.reading.objects.schemas import dotted
from rules.reading.pods.pods import PodTemplate, pods_by_resource, readable
from rules.reading.shapes import memoized

_SERVICE = 3
"""Steps of the path of a graph's service or component, such as spec.services.NAME."""
_WORD = re.compile(r"[\w./:@-]+")
_NAME = re.compile(r"(?=.*[A-Za-z]).*[^a-z].*")
"""A word that is neither of prose nor a number."""
_METADATA = ("metadata",)


def field_named(graph: ResourceGraph, resource: Resource, subject: str, message: str) -> Path:
    """The field of the subject that the message names first, such as a flag, a variable or an image.

    The subject's own path where the message names none; empty where the subject is the whole object.
    """
    places = [place for name in subject.split(", ") for place in _places(graph, resource.urn, name)]
    # A Secret that is not there is the subject itself, in the graph that names it.
    is_named = not places and subject != resource.name
    words = _words(f"{subject} {message}" if is_named else message)
    named = (_written(graph, resource.urn, place).get(word) for place in places or [()] for word in words)
    return next(filter(None, named), places[0] if places else ())


@memoized
def _places(graph: ResourceGraph, urn: str, name: str) -> Sequence[Path]:
    """Where the object has the part of this name, the innermost first; nowhere where the name is its own."""
    templates = readable(pods_by_resource(graph).get(urn, ()))
    return [place for template in templates for place in _places_in(template, name)]


def _places_in(template: PodTemplate, name: str) -> Iterator[Path]:
    if template.shape != "workload":
        if template.name == name:
            yield template.at[:_SERVICE]
        return
    for key in ("containers", "initContainers"):
        containers = template.spec.get(key)
        for index, container in enumerate(containers if isinstance(containers, Sequence) else ()):
            if isinstance(container, Mapping) and container.get("name") == name:
                yield from ((*template.at, key, index), template.at)
    if template.name == name:
        yield template.at


@memoized
def _written(graph: ResourceGraph, urn: str, place: Path) -> Mapping[str, Path]:
    """Name, or path in dots, -> the outermost field below the place that bears or holds the name."""
    resource = graph.find(urn)
    names = () if resource is None else _names(value_at(resource.inputs, place), place)
    found: dict[str, Path] = {}
    for name, path in sorted(names, key=lambda each: len(each[1])):
        # Every message may name the object.
        if path[:1] != _METADATA:
            found.setdefault(name, path)
            found.setdefault(dotted(path), path)
    return found


def _names(value: Value, path: Path) -> Iterator[tuple[str, Path]]:
    if isinstance(value, str):
        # A script or `--flag=value` has several.
        yield from ((word, path) for word in _words(value))
    elif isinstance(value, Mapping):
        name = value.get("name")
        if isinstance(name, str):
            yield name, path
        for key, each in value.items():
            yield key, (*path, key)
            yield from _names(each, (*path, key))
    elif isinstance(value, Sequence):
        for index, each in enumerate(value):
            yield from _names(each, (*path, index))


def _words(text: str) -> list[str]:
    return [word for each in _WORD.findall(text) if _NAME.fullmatch(word := each.rstrip(".:"))]
