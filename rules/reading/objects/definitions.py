"""Which schema an object is held against: of the release that is told, else of every one that is known.

definitions.json holds the schemas of custom resources, each with the release line and the commit at which it
was read; `x-fact` there stands for a core type as the definition has it inlined. Those of built-in kinds come
with the package kubernetes-validate, of which nothing but the files is used: its own validation ends at the
first mistake and knows no unknown values.
"""

import importlib.util
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path as FilePath
from typing import Any, cast

from resource_graph import Resource, ResourceGraph
from rules.reading.objects.schemas import NAME, Raw, Schema
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.releases import operator_line
from rules.reading.shapes import known

_DEFINITIONS = FilePath(__file__).with_name("definitions.json")
_RELEASE = re.compile(r"v(\d+)\.(\d+)\.0-local")
_OLDEST_BUILT_IN = (1, 30)
"""Older clusters lack the resource claims that GB200 needs, and no Dynamo line supports them."""
_CORE_MARK, _PRESERVES = "x-fact", "x-kubernetes-preserve-unknown-fields"
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_FIRST_GRAPH_LINE = (1, 2)
_NVIDIA = "nvidia.com"


def candidates(graph: ResourceGraph, resource: Resource) -> tuple[Mapping[str, Schema], str | None]:
    """Name of a release -> a schema that the object may be held against, and the release of no known schema.

    The schemas are those of the object's kind and version, only one where the graph tells its release. Where
    the told release's own schema is not known, the nearest one stands for it, and the release is named.
    """
    kind = _kind(resource)
    # Of a built-in kind the newest release that has it.
    by_line = _custom(*kind) or dict(islice(_built_in(*kind), 1))
    is_told = len(by_line) > 1 and resource.kind == GRAPH_KIND
    told = known(operator_line, graph, resource) if is_told else None
    if told is None:
        return by_line, None
    name = "Dynamo {}.{}".format(*told)
    if name in by_line:
        return {name: by_line[name]}, None
    nearest = list(by_line)[0 if told < _FIRST_GRAPH_LINE else -1]
    return {nearest: by_line[nearest]}, name


def has_schema(resource: Resource) -> bool:
    """Whether any release's schemas know the object's kind and version."""
    return next(other_lines(resource), None) is not None


def other_lines(resource: Resource) -> Iterator[tuple[str, Schema]]:
    """Every release of which a schema of the kind is known, in the object's version; the newest first."""
    kind = _kind(resource)
    by_line = _custom(*kind)
    return reversed(tuple(by_line.items())) if by_line else _built_in(*kind)


def other_versions(resource: Resource) -> list[str]:
    """API versions that serve the kind of an object whose own serves it nowhere; none of a kind of others."""
    group, _, _ = _kind(resource)
    custom = [(each["group"], each["version"], each["kind"]) for each in _stored()["definitions"]]
    # Groups without a dot are Kubernetes' own; nobody else defines the kinds that are NVIDIA's here.
    return sorted(
        {
            f"{home}/{version}" if home else version
            for home, version, kind in (*custom, *_index(_releases()[0]))
            if kind == resource.kind
            and (home == group or home.endswith(_NVIDIA) or "." not in f"{home}{group}")
        }
    )


def _kind(resource: Resource) -> tuple[str, str, str]:
    """Its API group, empty for that of Kubernetes' core, the version within the group, and the kind."""
    group, _, version = (resource.api_version or "").rpartition("/")
    return group, version, resource.kind or ""


@cache
def _custom(group: str, version: str, kind: str) -> Mapping[str, Schema]:
    return {
        each["line"]: Schema(
            _with_metadata(each), partial(_inlined, each.get("xFactSet")), is_definition=True
        )
        for each in _stored()["definitions"]
        if (each["group"], each["kind"], each["version"]) == (group, kind, version)
    }


def _with_metadata(definition: Mapping[str, Any]) -> Raw:
    """A definition says nothing of metadata, which the API server holds against its own schema."""
    raw = definition["openAPIV3Schema"]
    return {**raw, "properties": {**raw["properties"], "metadata": {"$ref": _OBJECT_META}}}


@cache
def _stored() -> Mapping[str, Any]:
    return json.loads(_DEFINITIONS.read_text(encoding="utf-8"))


def _inlined(types: str | None, node: Raw) -> Raw:
    """Puts the core types back that stand in a custom resource's schema; without types anything passes."""
    if "$ref" in node:
        return _referred(_releases()[0], node)
    name = node.get(_CORE_MARK)
    return node if name is None or types is None else _merged(_core_type(name, types), node)


def _core_type(name: str, types: str) -> Raw:
    held = _stored()["coreTypes"][types]
    return held["types"][name] if name in held["types"] else _core_type(name, held["inherits"])


def _merged(core: Raw, node: Raw) -> Raw:
    """The node over the core type: objects merge key by key, anything else is replaced."""
    merged = dict(core)
    for key, value in node.items():
        below = merged.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            merged[key] = _merged(cast("Raw", below), cast("Raw", value))
        elif key not in {_CORE_MARK, _PRESERVES}:
            merged[key] = value
    return merged


def _referred(release: tuple[int, int], node: Raw) -> Raw:
    """Puts in place of a reference what a release of Kubernetes defines under that name."""
    reference = node.get("$ref")
    if reference is None:
        return node
    name = reference.rpartition("/")[2]
    return {**_built_in_types(release)[name], NAME: name.rpartition(".")[2]}


def _built_in(group: str, version: str, kind: str) -> Iterator[tuple[str, Schema]]:
    """Name of a release and its schema of the kind, the newest first."""
    for release in _releases():
        schema = _built_in_schema(release, group, version, kind)
        if schema is not None:
            yield f"Kubernetes {release[0]}.{release[1]}", schema


@cache
def _built_in_schema(release: tuple[int, int], group: str, version: str, kind: str) -> Schema | None:
    raw = _index(release).get((group, version, kind))
    resolve = partial(_referred, release)
    return None if raw is None else Schema({**raw, NAME: kind}, resolve, is_definition=False)


@cache
def _index(release: tuple[int, int]) -> Mapping[tuple[str, str, str], Raw]:
    return {
        (named["group"], named["version"], named["kind"]): raw
        for raw in _built_in_types(release).values()
        for named in raw.get("x-kubernetes-group-version-kind", ())
    }


@cache
def _built_in_types(release: tuple[int, int]) -> Mapping[str, Raw]:
    major, minor = release
    file = _folder() / f"v{major}.{minor}.0-local" / "_definitions.json"
    return json.loads(file.read_text(encoding="utf-8"))["$defs"]


@cache
def _releases() -> Sequence[tuple[int, int]]:
    """Releases of Kubernetes whose schemas the package brings, the newest first."""
    names = (_RELEASE.fullmatch(path.name) for path in _folder().iterdir())
    found = {(int(match[1]), int(match[2])) for match in names if match is not None}
    return sorted((release for release in found if release >= _OLDEST_BUILT_IN), reverse=True)


@cache
def _folder() -> FilePath:
    # To import the package would load a validator that is not used, and take a tenth of a second.
    spec = importlib.util.find_spec("kubernetes_validate")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("kubernetes-validate is not installed; `make environment` installs it")
    return FilePath(spec.origin).parent / "kubernetes-json-schema"
