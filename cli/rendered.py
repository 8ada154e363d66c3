"""A resource graph as YAML documents, the same bytes for the same graph."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import yaml

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value, has_unknown
from resource_graph.resource import Path

MARK = "# Written by `dynamo-stack render`; changes are overwritten."

_RELEASE_TYPE = "kubernetes:helm.sh/v3:Release"
_SECRET_SHOWN = "[secret, not written]"  # noqa: S105 - stands where a secret is left out
_UNKNOWN_SHOWN = "[known only after the update]"
_FIRST_KEYS = ("apiVersion", "kind", "metadata")
_PLAIN_TEXT = re.compile(r"[A-Za-z_/][A-Za-z0-9_./:=-]*(?<!:)")
_READ_AS_SOMETHING_ELSE = frozenset(
    {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}
)


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """One document, ending in a newline."""

    name: str
    """For a file: kind and name in lower case."""
    text: str


def render_graph(graph: ResourceGraph) -> list[RenderedDocument]:
    """Every Kubernetes object and Helm release, in the order in which the engine creates them."""
    return [
        RenderedDocument(_document_name(resource), _document_text(resource))
        for resource in graph.in_creation_order()
        if resource.kind is not None or resource.type == _RELEASE_TYPE
    ]


def _document_name(resource: Resource) -> str:
    name = resource.object_name if resource.kind is not None else resource.inputs.get("name")
    shown = name if isinstance(name, str) else resource.name
    kind = resource.kind or "helm-release"
    return re.sub(r"[^a-z0-9.-]+", "-", f"{kind}-{shown}".lower())


def _document_text(resource: Resource) -> str:
    if resource.type == _RELEASE_TYPE:
        return _release_comment(resource)
    shown = _without_secrets(resource)
    if shown != resource.inputs:
        return _comment(f"This {resource.kind} holds secret values, so it is shown and not written.", shown)
    if has_unknown(resource.inputs):
        return _comment(
            f"This {resource.kind} has values that only the update knows.", _marked_unknowns(shown)
        )
    return _yaml(shown)


def _release_comment(resource: Resource) -> str:
    inputs = _marked_unknowns(_without_secrets(resource))
    repository = inputs.get("repositoryOpts")
    fields: dict[str, Value] = {
        "chart": inputs.get("chart"),
        "repository": repository.get("repo") if isinstance(repository, Mapping) else None,
        "version": inputs.get("version"),
        "release": inputs.get("name") or resource.name,
        "namespace": inputs.get("namespace"),
        "values": inputs.get("values") or {},
    }
    return _comment("A Helm release: install the chart with these values.", fields)


def _comment(heading: str, content: Mapping[str, Value]) -> str:
    lines = [heading, *_yaml(content).splitlines()]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _without_secrets(resource: Resource) -> Mapping[str, Value]:
    paths = set(resource.secret_paths or ())
    if resource.kind == "Secret":
        paths |= {("data",), ("stringData",)}
    shown = _replaced(resource.inputs, (), frozenset(paths), inside=False)
    return shown if isinstance(shown, Mapping) else {}


def _replaced(value: Value, path: Path, secrets: frozenset[Path], *, inside: bool) -> Value:
    inside = inside or path in secrets
    if isinstance(value, Mapping):
        return {key: _replaced(item, (*path, key), secrets, inside=inside) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_replaced(item, (*path, index), secrets, inside=inside) for index, item in enumerate(value)]
    return _SECRET_SHOWN if inside else value


def _marked_unknowns(inputs: Mapping[str, Value]) -> Mapping[str, Value]:
    return {key: _marked(value) for key, value in inputs.items()}


def _marked(value: Value) -> Value:
    if isinstance(value, Mapping):
        return _marked_unknowns(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_marked(item) for item in value]
    return _UNKNOWN_SHOWN if value is UNKNOWN else value


def _yaml(content: Mapping[str, Value]) -> str:
    first = {key: content[key] for key in _FIRST_KEYS if key in content}
    return yaml.dump(first | dict(content), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)


class _Dumper(yaml.SafeDumper):
    """Block style, and quotes around every text that some YAML reader takes for something else.

    PyYAML writes 1e3 without quotes, which Kubernetes' reader takes for a number.
    """

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    if "\n" in text:
        style = "|"
    elif _PLAIN_TEXT.fullmatch(text) and text.lower() not in _READ_AS_SOMETHING_ELSE:
        style = None
    else:
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
