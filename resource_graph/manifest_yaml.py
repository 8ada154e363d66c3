"""YAML documents with line numbers, read the way a Kubernetes client reads them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, cast

import yaml

from resource_graph.values import Value

_MAXIMUM_VALUES = 1_000_000
"""No honest manifest is larger; a few hundred bytes of nested aliases can be."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One non-empty document."""

    number: int
    """Counted from 1, empty documents included."""
    line: int
    content: Value


class YamlProblem(Exception):  # noqa: N818 - becomes an error only together with the file's name
    """Why a document cannot be read."""

    def __init__(self, document: int, line: int, message: str) -> None:
        super().__init__(message)
        self.document = document
        self.line = line


def read_documents(text: str) -> Iterator[YamlDocument]:
    """The documents of one file.

    Raises:
        YamlProblem: with the document and the line where reading ended.
    """
    number = 0
    loader = _open(text)
    try:
        while True:
            number += 1
            node = _next_node(loader, number)
            if node is None:
                return
            if _is_empty(node):
                continue
            yield YamlDocument(number, node.start_mark.line + 1, _Reading(number).value(node, ()))
    finally:
        cast("_Disposable", loader).dispose()


def _open(text: str) -> "_Loader":
    try:
        return _Loader(text)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlProblem(1, line, f"not YAML: {error.reason}") from error


def _next_node(loader: "_Loader", number: int) -> yaml.Node | None:
    try:
        return loader.get_node() if loader.check_node() else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise YamlProblem(number, line, f"not YAML: {error.problem or error.context}") from error
    except RecursionError as error:
        raise YamlProblem(number, 1, "nested too deeply") from error


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


class _Loader(yaml.SafeLoader):
    """PyYAML's safe rules, but a bare date stays text: JSON, which the API server speaks, has no dates."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Disposable(Protocol):
    def dispose(self) -> None: ...


class _Constructor(Protocol):
    def construct_object(self, node: yaml.Node) -> object: ...


class _Reading:
    def __init__(self, document: int) -> None:
        self._document = document
        self._values = 0
        self._constructor = cast("_Constructor", yaml.SafeLoader(""))

    def value(self, node: yaml.Node, parents: tuple[int, ...]) -> Value:
        self._values += 1
        if self._values > _MAXIMUM_VALUES:
            raise self._problem(node, f"more than {_MAXIMUM_VALUES:,} values")
        if id(node) in parents:
            raise self._problem(node, "an alias contains itself")
        inner = (*parents, id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, inner)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, inner) for item in cast("list[yaml.Node]", node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, parents: tuple[int, ...]) -> dict[str, Value]:
        merged: dict[str, Value] = {}
        own: dict[str, Value] = {}
        for key_node, value_node in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            if key_node.tag == "tag:yaml.org,2002:merge":
                merged |= self._merge(value_node, parents)
                continue
            key = self._key(key_node)
            if key in own:
                raise self._problem(key_node, f"the key {key!r} stands twice in one mapping")
            own[key] = self.value(value_node, parents)
        return merged | own

    def _merge(self, node: yaml.Node, parents: tuple[int, ...]) -> dict[str, Value]:
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, Value] = {}
        for source in reversed(cast("list[yaml.Node]", sources)):
            if not isinstance(source, yaml.MappingNode):
                raise self._problem(source, "only mappings can be merged with <<")
            if id(source) in parents:
                raise self._problem(source, "an alias contains itself")
            merged |= self._mapping(source, (*parents, id(source)))
        return merged

    def _key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self._problem(node, "a key must be plain text")
        return str(cast("object", node.value))

    def _scalar(self, node: yaml.Node) -> Value:
        try:
            value = self._constructor.construct_object(node)
        except yaml.MarkedYAMLError as error:
            raise self._problem(node, f"not YAML: {error.problem}") from error
        except (ValueError, OverflowError) as error:
            raise self._problem(node, f"not YAML: {error}") from error
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise self._problem(node, f"a value of type {type(value).__name__} has no place in a manifest")

    def _problem(self, node: yaml.Node, message: str) -> YamlProblem:
        return YamlProblem(self._document, node.start_mark.line + 1, message)
