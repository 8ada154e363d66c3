"""Anybody's Kubernetes YAML as a resource graph."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from resource_graph.graph import DOCUMENTS_LACK, ResourceGraph
from resource_graph.input_text import InputError, InputText
from resource_graph.manifest_yaml import read_documents
from resource_graph.resource import Origin, Resource
from resource_graph.values import Value
from resource_graph.yaml_events import YamlProblem

_PLACEHOLDER = re.compile(r"""^(?:[^"'#]*(?=\{[{%])|\s*(?=\$\{\w+\}\s*$))(.*)""")
"""What Helm, Jinja and, on a line of its own, envsubst fill in. Without quotes YAML takes braces for a
mapping, and the part within for its key."""
_IN_QUOTES = re.compile(r"^[^#]*?(\{[{%].*)")
"""The same where YAML ends in the line: `"{{ .Values.x | default "a" }}"` is closed before the a."""


def manifest_graph(files: Sequence[InputText]) -> ResourceGraph:
    """All objects of all documents of these texts, in order.

    A document that is a List stands for its items. Documents have no edges: what depends on what is
    not told.

    Raises:
        InputError: one is no YAML, or holds something that is no Kubernetes object; the message names file,
            document and line.
    """
    return ResourceGraph((resource for file in files for resource in _read(*file)), DOCUMENTS_LACK)


def _read(name: str, text: str) -> Iterator[Resource]:
    try:
        for document in read_documents(text):
            yield from _objects(document.content, Origin(name, document.number, document.written))
    except YamlProblem as problem:
        line, said = _placeholder(text, problem) or (problem.line, str(problem))
        raise InputError(f"{name}, document {problem.document}, line {line}: {said}") from problem


def _placeholder(text: str, problem: YamlProblem) -> tuple[int, str] | None:
    # A parser that takes a placeholder for the begin of a mapping often ends on the line after it.
    for number, line in enumerate(text.split("\n")[: problem.line], start=1):
        pattern = _IN_QUOTES if number == problem.line else _PLACEHOLDER
        if number >= problem.line - 1 and (found := pattern.match(line)):
            makes = "judge what the template makes"
            if found[1].startswith("{{"):
                makes = f"{makes}: helm template CHART | dynamo-stack check --file -"
            return number, f"{found[1].strip()} belongs to a template; {makes}"
    return None


def _objects(content: Value, origin: Origin) -> Iterator[Resource]:
    items = content.get("items") if isinstance(content, Mapping) else None
    if isinstance(content, Mapping) and content.get("kind") == "List" and isinstance(items, list):
        for index, item in enumerate(items):
            yield _object(item, replace(origin, within=("items", index)), f"items[{index}] of the List")
        return
    yield _object(content, origin, "the document")


def _object(content: Value, origin: Origin, what: str) -> Resource:
    if not isinstance(content, Mapping):
        raise InputError(f"{origin}: {what} is not a mapping, so it is no Kubernetes object")
    api_version = _text(content, "apiVersion", origin, what)
    kind = _text(content, "kind", origin, what)
    metadata = content.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    shown_name = name if isinstance(name, str) and name else f"unnamed {kind}"
    group = api_version if "/" in api_version else f"core/{api_version}"
    return Resource(
        urn=f"file:{origin.file}#{origin.document}/{what}/{kind}/{shown_name}",
        type=f"kubernetes:{group}:{kind}",
        name=shown_name,
        inputs=content,
        origin=origin,
    )


def _text(content: Mapping[str, Value], key: str, origin: Origin, what: str) -> str:
    value = content.get(key)
    if isinstance(value, str) and value:
        return value
    found = "it is missing" if key not in content else f"found {value!r}"
    raise InputError(f"{origin}: {what} needs a text in {key}: {found}")
