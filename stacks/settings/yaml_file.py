"""Read a YAML file with the engine's meaning of scalars; where it cannot be read, say which line is wrong."""

import re
from typing import Any

import yaml

from resource_graph.manifest_yaml import read_documents
from resource_graph.yaml_events import YamlProblem
from stacks.settings.scalars import Scalar, resolve_plain


class YamlProblemError(Exception):
    """The file cannot be read as the engine reads it.

    Attributes:
        line: where, counted from 1.
        is_grammar: whether it is no YAML at all, rather than YAML that the engine refuses.

    """

    def __init__(self, message: str, line: int, *, is_grammar: bool = False) -> None:
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
        documents = list(read_documents(text, _scalar))
    except YamlProblem as problem:
        is_grammar = isinstance(problem.__cause__, yaml.YAMLError)
        message = str(problem).removeprefix("not YAML: ")
        raise YamlProblemError(message, problem.line, is_grammar=is_grammar) from None
    for document in documents:
        # The engine reads the first one alone, also where that is empty.
        if document.number > 1:
            raise YamlProblemError("another document begins here", document.written.line)
    return documents[0].content if documents else None


_LINE = re.compile(r"(?P<indent> *)(?P<item>(?:- +)*)(?P<text>[^\s#].*)")
# A key whose mapping begins on the next line; a comment may follow it.
_OPENS = re.compile(r"[^\s#].*:(\s+#.*)?$")


def wrong_indent(text: str, last: int) -> tuple[int, str] | None:
    """Return the first line that stands in no column of the lines before it, and the reason in words.

    Looked for among the first `last` lines; None where the mistake is another one.
    """
    columns: list[int] = []
    before, opened = 0, True
    for number, line in enumerate(text.splitlines()[:last], 1):
        found = _LINE.fullmatch(line.rstrip())
        if found is None:
            continue
        column = len(found["indent"])
        if columns and column > columns[-1] and not opened:
            shallow = f"line {before} by {columns[-1]}, and nothing can stand below what that holds"
            return number, f"this line is indented by {column} spaces, {shallow}"
        while columns and column < columns[-1]:
            columns.pop()
        if columns and column != columns[-1] and not opened:
            return number, f"this line is indented by {column} spaces, as no line of its block is"
        columns += [column] if not columns or column > columns[-1] else []
        if found["item"]:
            columns.append(column + len(found["item"]))
        before, opened = number, _OPENS.fullmatch(found["text"]) is not None
    return None


def _scalar(event: yaml.ScalarEvent) -> Scalar:
    if event.tag is not None:
        raise ValueError(f"the tag {event.tag} is not used in stack files")
    return resolve_plain(event.value) if event.implicit[0] else event.value
