"""The field that a finding is about: what its message names in the part of the object that it judges."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Path, Resource, ResourceGraph, Value, value_at
from rules.reading.objects.schemas import dotted
from rules.reading.pods.pods import PodTemplate, pods_by_resource, readable
from rules.reading.shapes import known, mappings_at, memoized

_SERVICE = 3
"""Steps of the path of a graph's service or component, such as spec.services.NAME."""
_WORD = re.compile(r"[\w./:@-]+")
_NAME = re.compile(r"(?=.*[A-Za-z])(?!(?:API|CUDA|HTTP|KV|NCCL|TCP|[CG]PUs?)$).*[^a-z].*")
"""A word that is neither of prose, such as GPUs, nor a number."""
_CONTAINER = re.compile(r"\bcontainer ([a-z0-9-]+)")
_OF_GRAPH = (("spec", "envs"), ("spec", "env"))
"""Variables of all services or components of a graph."""


def field_named(graph: ResourceGraph, resource: Resource, subject: str, message: str) -> Path:
    """The field of the subject that the message names first, such as a flag, a variable or an image.

    Within a text of several lines, such as a script, the last step is the number of the line, from 0. The
    subject's own path where the message names none; empty where the subject is the whole object.
    """
    told = _CONTAINER.search(message)
    # What stands behind tells of other things than the container that is told.
    container, message = ("", message) if told is None else (told[1], message.partition(";")[0])
    # An engine beside others of its container bears a number too.
    names = [name.partition(" engine ")[0] for name in subject.split(", ")]
    places = [place for name in names for place in _places(graph, resource.urn, name, container)]
    words = _words(message)
    if subject == resource.name:
        places.append(())
    elif not places:
        # A Secret that is not there is the subject itself, in the graph that names it.
        places, words = [()], [subject, *words]
    named = (_written(graph, resource.urn, place).get(word) for word in words for place in places)
    return next(filter(None, named), places[0])


@memoized
def _places(graph: ResourceGraph, urn: str, name: str, container: str) -> Sequence[Path]:
    """Where the object has the part of this name, and its container, the innermost first; else nowhere."""
    templates = readable(pods_by_resource(graph).get(urn, ()))
    return [place for template in templates for place in _places_in(template, name, container)]


def _places_in(template: PodTemplate, name: str, container: str) -> Iterator[Path]:
    is_workload = template.shape == "workload"
    containers = {
        str(each.get("name")): (*template.at, key, index)
        for key in ("containers", "initContainers")
        for index, each in enumerate(known(mappings_at, template.spec, key) or ())
    }
    if name == template.name or (is_workload and name in containers):
        yield from (containers[each] for each in (container, name) if each in containers)
        yield from (template.at,) if is_workload else (template.at[:_SERVICE], *_OF_GRAPH)


@memoized
def _written(graph: ResourceGraph, urn: str, place: Path) -> Mapping[str, Path]:
    """Name, or path in dots, -> the outermost field below the place that bears or holds the name."""
    resource = graph.find(urn)
    names = () if resource is None else _names(value_at(resource.inputs, place), place)
    found: dict[str, Path] = {}
    for name, path in sorted(names, key=lambda each: len(each[1])):
        # Every message may name the object, and labels repeat the names of many things.
        if path[:1] != ("metadata",) and "labels" not in path:
            found.setdefault(name, path)
    return found


def _names(value: Value, path: Path) -> Iterator[tuple[str, Path]]:
    yield dotted(path), path
    if isinstance(value, str):
        # A script or `--flag=value` has several; what is in a script is at one of its lines.
        lines = value.split("\n")
        for number, line in enumerate(lines):
            at = (*path, number) if len(lines) > 1 else path
            yield from ((word, at) for word in _words(line))
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
