"""YAML that every reader takes for the same, and the same bytes for the same content."""

import re
from collections.abc import Mapping

import yaml

from resource_graph import Value
from resource_graph.printable import printable

_FIRST_KEYS = ("apiVersion", "kind", "metadata")
_PLAIN_TEXT = re.compile(r"[A-Za-z_/][A-Za-z0-9_./:=-]*(?<!:)")
_READ_AS_SOMETHING_ELSE = frozenset(
    {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}
)


def to_yaml(content: Mapping[str, Value]) -> str:
    """The mapping in block style, ending in a newline; of an object first what it is."""
    first = {key: content[key] for key in _FIRST_KEYS if key in content}
    text = yaml.dump(first | dict(content), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)
    # Control characters that PyYAML leaves stand in double quotes, where YAML has the escapes of Python.
    return printable(text)


def as_comment(text: str) -> str:
    """Every line behind a #."""
    return "".join(f"# {line}".rstrip() + "\n" for line in printable(text).splitlines())


class _Dumper(yaml.SafeDumper):
    """Block style, and quotes around every text that some YAML reader takes for something else.

    PyYAML writes 1e3 without quotes, which Kubernetes' reader takes for a number.
    """

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    # A block can hold no escape; and YAML 1.1 ends a line of it at \r, \x85, \u2028 and \u2029 too.
    if "\n" in text and printable(text) == text:
        style = "|"
    elif _PLAIN_TEXT.fullmatch(text) and text.lower() not in _READ_AS_SOMETHING_ELSE:
        style = None
    else:
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
