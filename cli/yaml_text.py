"""YAML that every reader takes for the same, and what stands in it for values that may not be written."""

import re
from collections.abc import Mapping

import yaml

from resource_graph import UNKNOWN, Resource, Value, has_unknown
from resource_graph.printable import printable
from resource_graph.values import Path

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


_SECRET_SHOWN = "[secret, not written]"  # noqa: S105 - stands where a secret is left out
_UNKNOWN_SHOWN = "[known only after the update]"
_PARTS = ("data", "stringData")


def why_not_written(resource: Resource) -> str | None:
    """Return why a resource cannot be written for others to apply; None where it can."""
    if resource.secret_paths:
        return "holds secret values; bring them by a Secret"
    return "has values that only the update knows" if has_unknown(resource.inputs) else None


def shown_inputs(resource: Resource) -> Mapping[str, Value]:
    """Return the inputs with a mark in the place of every secret, and of every unknown value."""
    secrets = resource.secret_paths or frozenset()
    return {key: _shown(value, (key,), secrets) for key, value in resource.inputs.items()}


def _shown(value: Value, path: Path, secrets: frozenset[Path]) -> Value:
    if path in secrets:
        return _SECRET_SHOWN
    if isinstance(value, Mapping):
        return {key: _shown(each, (*path, key), secrets) for key, each in value.items()}
    if isinstance(value, list):
        return [_shown(each, (*path, index), secrets) for index, each in enumerate(value)]
    return _UNKNOWN_SHOWN if value is UNKNOWN else value


def secret_document(resource: Resource) -> str:
    """Return a comment with the Secret's name, its keys and three ways to bring it."""
    name = resource.object_name if isinstance(resource.object_name, str) else resource.name
    namespace = resource.namespace if isinstance(resource.namespace, str) else "default"
    parts = (resource.inputs.get(part) for part in _PARTS)
    keys = sorted({key for part in parts if isinstance(part, Mapping) for key in part})
    files = " ".join(f"--from-file={key}=FILE" for key in keys)
    lines = [
        f"This Secret holds secret values, so it is not written: {namespace}/{name}",
        f"type: {resource.inputs.get('type') or 'Opaque'}",
        f"keys: {', '.join(keys) or 'unknown'}",
        "Bring it before the next object is applied, by one of:",
        f"  kubectl create secret generic {name} --namespace {namespace} {files}".rstrip(),
        f"  External Secrets: an ExternalSecret in {namespace} with target.name {name} and these secretKeys",
        "  Sealed Secrets: the kubectl line with --dry-run=client --output yaml, piped into kubeseal",
    ]
    return as_comment("\n".join(lines))
