"""Resources without their secrets: marks stand where those were."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from comparison.secret_text import mark_of, names_a_secret, without_secrets
from resource_graph import Resource, Value
from resource_graph.resource import Path

_PARTS_OF_A_SECRET = (("data",), ("stringData",))


def marked(resource: Resource) -> Resource:
    """Return the resource with marks in place of its secrets.

    Secrets are what the program declares so, everything that a Secret holds, and what looks like one in any
    other text. Their paths, where a whole value is one, are the new resource's `secret_paths`.
    """
    declared = set(resource.secret_paths or ())
    if resource.kind == "Secret":
        declared.update(_PARTS_OF_A_SECRET)
    marks = _Marks(frozenset(declared))
    inputs = {key: marks.value(item, (key,), key=key) for key, item in resource.inputs.items()}
    paths = frozenset({*declared, *marks.found})
    return replace(resource, inputs=inputs, secret_paths=paths, origin=None)


def marked_settings(settings: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return what a person typed with marks in place of what looks like a secret."""
    marks = _Marks(frozenset())
    return {key: marks.value(value, (key,), key=key) for key, value in settings.items()}


class _Marks:
    """One walk through a resource's inputs."""

    def __init__(self, declared: frozenset[Path]) -> None:
        self._declared = declared
        self.found: set[Path] = set()
        """Paths of values that are secret by the name that they have."""

    def value(self, value: Value, path: Path, *, key: str = "", is_secret: bool = False) -> Value:
        """Return the value at this path; `key` names it, and a secret's parts are secret."""
        is_secret = is_secret or path in self._declared
        if isinstance(value, Mapping):
            return self._mapping(value, path, is_secret=is_secret)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return self._sequence(value, path, is_secret=is_secret)
        if is_secret and isinstance(value, str | int | float):
            return mark_of(str(value))
        if not isinstance(value, str):
            return value
        if names_a_secret(key) and value and not value.startswith(("$", "{")):
            self.found.add(path)
            return mark_of(value)
        return without_secrets(value)

    def _mapping(self, value: Mapping[str, Value], path: Path, *, is_secret: bool) -> Value:
        name = value.get("name")
        # A container's environment: the variable's name is the value of `name`.
        named = name if isinstance(name, str) else ""
        return {
            key: self.value(
                item, (*path, key), key=named if key == "value" and named else key, is_secret=is_secret
            )
            for key, item in value.items()
        }

    def _sequence(self, value: Sequence[Value], path: Path, *, is_secret: bool) -> Value:
        # A command line: the option's name is the item before its value.
        options = ["", *(item if isinstance(item, str) and item.startswith("--") else "" for item in value)]
        return [
            self.value(item, (*path, index), key=option.removeprefix("--"), is_secret=is_secret)
            for index, (item, option) in enumerate(zip(value, options, strict=False))
        ]
