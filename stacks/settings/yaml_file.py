"""Read a YAML file with the engine's meaning of scalars; where it cannot be read, say which line is wrong."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import yaml

from stacks.settings.scalars import resolve_plain

if TYPE_CHECKING:
    from collections.abc import Iterable


_MERGE_KEY = "<<"
# No honest stack file is deeper or larger; a few hundred bytes of aliases of aliases can be.
_MAXIMUM_DEPTH = 200
_MAXIMUM_VALUES = 100_000
# How `pulumi config set` writes << when it rewrites a stack file.
_MERGE_TAG = "tag:yaml.org,2002:merge"


class YamlProblemError(Exception):
    """The file cannot be read as the engine reads it.

    Attributes:
        line: where, counted from 1; None where the parser does not say.
        is_grammar: whether it is no YAML at all, rather than YAML that the engine refuses.

    """

    def __init__(self, message: str, line: int | None, *, is_grammar: bool = False) -> None:
        super().__init__(message)
        self.line = line
        self.is_grammar = is_grammar


def parse_yaml(text: str) -> Any:
    """Return the document as mappings with text keys, lists and scalars.

    Raises:
        YamlProblemError: not YAML, YAML that the engine refuses (a key twice, an explicit tag), or a scalar
            that readers of YAML disagree about.

    """
    try:
        _refuse_unusable(text)
        root = _compose(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlProblemError(
            error.problem or "not YAML", mark.line + 1 if mark else None, is_grammar=True
        ) from None
    except yaml.YAMLError as error:
        raise YamlProblemError(str(error), None) from None
    return None if root is None else _value(root)


@dataclass
class _Extent:
    """How much a list or mapping holds once every alias in it is written out."""

    anchor: str | None = None
    values: int = 1
    height: int = 1

    def add(self, part: "_Extent") -> None:
        self.values += part.values
        self.height = max(self.height, part.height + 1)


_LINE = re.compile(r"(?P<indent> *)(?P<item>(?:- +)*)(?P<text>[^\s#].*)")
# A key whose mapping begins on the next line; a comment may follow it.
_OPENS = re.compile(r"[^\s#].*:(\s+#.*)?$")


@dataclass(frozen=True, slots=True)
class WrongIndent:
    """A line that stands in no column of the lines before it."""

    line: int
    """Counted from 1."""
    words: str


def wrong_indent(text: str, last: int) -> WrongIndent | None:
    """Return the first such line among the first `last` lines; None where the mistake is another one."""
    columns: list[int] = []
    before, opened = 0, True
    for number, line in enumerate(text.splitlines()[:last], 1):
        found = _LINE.fullmatch(line.rstrip())
        if found is None:
            continue
        column = len(found["indent"])
        if columns and column > columns[-1] and not opened:
            shallow = f"line {before} by {columns[-1]}, and nothing can stand below what that holds"
            return WrongIndent(number, f"this line is indented by {column} spaces, {shallow}")
        while columns and column < columns[-1]:
            columns.pop()
        if columns and column != columns[-1] and not opened:
            return WrongIndent(
                number, f"this line is indented by {column} spaces, as no line of its block is"
            )
        columns += [column] if not columns or column > columns[-1] else []
        if found["item"]:
            columns.append(column + len(found["item"]))
        before, opened = number, _OPENS.fullmatch(found["text"]) is not None
    return None


def _refuse_unusable(text: str) -> None:
    """Refuse tags, and what a walk through all values would not come to an end of."""
    anchors: dict[str, _Extent] = {}
    around = [_Extent()]
    # The stubs leave the parser's result untyped.
    events = cast("Iterable[yaml.Event]", yaml.parse(text, Loader=yaml.CBaseLoader))  # pyright: ignore[reportUnknownMemberType]
    for event in events:
        line = event.start_mark.line + 1
        tag: str | None = getattr(event, "tag", None)
        if tag not in {None, _MERGE_TAG}:
            raise YamlProblemError(f"the tag {tag} is not used in stack files", line)
        if isinstance(event, yaml.CollectionStartEvent):
            around.append(_Extent(event.anchor))
        elif isinstance(event, yaml.CollectionEndEvent):
            whole = around.pop()
            anchors |= {whole.anchor: whole} if whole.anchor else {}
            around[-1].add(whole)
        elif isinstance(event, yaml.AliasEvent):
            if any(each.anchor == event.anchor for each in around):
                raise YamlProblemError("an anchor contains itself", line)
            around[-1].add(anchors.get(event.anchor, _Extent()))
        else:
            around[-1].values += 1
        if len(around) + around[-1].height > _MAXIMUM_DEPTH:
            raise YamlProblemError(f"nested too deeply, more than {_MAXIMUM_DEPTH} levels", line)
        if around[-1].values > _MAXIMUM_VALUES:
            raise YamlProblemError(f"more than {_MAXIMUM_VALUES:,} values, aliases written out", line)


def _compose(text: str) -> yaml.Node | None:
    # The base loader resolves nothing, so that only the rules here apply. Untyped in the stubs, as above.
    return cast("yaml.Node | None", yaml.compose(text, Loader=yaml.CBaseLoader))  # pyright: ignore[reportUnknownMemberType]


def _value(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    return _scalar(node)


def _scalar(node: yaml.Node) -> Any:
    try:
        return resolve_plain(node.value) if _is_plain(node) else node.value
    except ValueError as error:
        raise YamlProblemError(str(error), _line(node)) from None


def _mapping(node: yaml.MappingNode) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if key_node.value == _MERGE_KEY and _is_plain(key_node):
            merged = _merged(value_node) | merged
            continue
        key = _key(key_node)
        if key in own:
            raise YamlProblemError(f"the key {key!r} stands here twice", _line(key_node))
        own[key] = _value(value_node)
    return merged | own


def _merged(node: yaml.Node) -> dict[str, Any]:
    mappings = node.value if isinstance(node, yaml.SequenceNode) else [node]
    merged: dict[str, Any] = {}
    for mapping in mappings:
        if not isinstance(mapping, yaml.MappingNode):
            raise YamlProblemError("<< takes a mapping, or a list of mappings", _line(mapping))
        merged = _mapping(mapping) | merged
    return merged


def _key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise YamlProblemError("a key has to be a word", _line(node))
    value = _scalar(node)
    if isinstance(value, bool):
        return str(value).lower()
    return "<nil>" if value is None else str(value)


def _is_plain(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and not node.style


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1
