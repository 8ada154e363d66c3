"""Changes to YAML documents, each one that a person could have made by hand.

An edit that changes nothing is a mistake of the case and fails.
"""

import copy
import functools
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import yaml

Documents = list[dict[str, Any]]
Edit = Callable[[Documents], None]
Key = str | int


def put(document: str, path: str, value: Any) -> Edit:
    """Set the value at a dotted path of one document, named `Kind` or `Kind/name`.

    A key that contains dots stands in brackets: `spec.template.metadata.labels[nvidia.com/gpu]`.
    """

    def edit(documents: Documents) -> None:
        for parent, key in _places(documents, document, path):
            before = _get(parent, key)
            assert before != value, f"{document} {path} is {value!r} already"
            _set(parent, key, copy.deepcopy(value))

    return edit


def drop(document: str, path: str) -> Edit:
    """Remove what stands at the path."""

    def edit(documents: Documents) -> None:
        for parent, key in _places(documents, document, path):
            del parent[key]

    return edit


def add(document: str, path: str, item: Any) -> Edit:
    """Append to the list at the path; an absent list is made."""

    def edit(documents: Documents) -> None:
        for parent, key in _places(documents, document, path):
            found = _get(parent, key)
            _set(parent, key, [*(found or []), copy.deepcopy(item)])

    return edit


def text(document: str, path: str, old: str, new: str) -> Edit:
    """Replace a part of the text at the path."""

    def edit(documents: Documents) -> None:
        for parent, key in _places(documents, document, path):
            assert old in parent[key], f"{old!r} is not in {document} {path}: {parent[key]!r}"
            parent[key] = parent[key].replace(old, new)

    return edit


def variable(document: str, path: str, name: str, value: str | dict[str, Any] | None) -> Edit:
    """Set a variable in the `env` list at the path, to a text or from a source, or remove it (None)."""

    def edit(documents: Documents) -> None:
        for parent, key in _places(documents, document, path):
            entries = _get(parent, key) or []
            others = [entry for entry in entries if entry["name"] != name]
            before = [entry.get("value") for entry in entries if entry["name"] == name]
            assert before != ([] if value is None else [value]), f"{name} is {value!r} already"
            source = {"value": value} if isinstance(value, str) else {"valueFrom": value}
            _set(parent, key, [*others, *([] if value is None else [{"name": name, **source}])])

    return edit


def engine_file(key: str, path: str, value: Any = None, *, remove: bool = False) -> Edit:
    """Set or remove a setting in the engine file that a ConfigMap holds under the key."""

    def edit(documents: Documents) -> None:
        (config_map,) = [
            item for item in documents if item["kind"] == "ConfigMap" and key in item.get("data", {})
        ]
        content = yaml.load(config_map["data"][key], Loader=yaml.CSafeLoader)
        steps = _steps(path)
        parent = _walk(content, steps[:-1])
        if remove:
            del parent[steps[-1]]
        else:
            assert _get(parent, steps[-1]) != value, f"{path} of {key} is {value!r} already"
            parent[steps[-1]] = value
        config_map["data"][key] = yaml.dump(content, Dumper=yaml.CSafeDumper)

    return edit


def document(content: str) -> Edit:
    """Add the documents of a YAML text."""

    def edit(documents: Documents) -> None:
        documents.extend(documents_of(content))

    return edit


def without(document: str) -> Edit:
    """Remove a document."""

    def edit(documents: Documents) -> None:
        for item in _named(documents, document):
            documents.remove(item)

    return edit


def edited(base: str, edits: Sequence[Edit]) -> str:
    """The base text with every edit made, as YAML again."""
    documents: Documents = pickle.loads(_pickled(base))  # noqa: S301 - pickled here
    for edit in edits:
        edit(documents)
    return "---\n".join(_text(pickle.dumps(each)) for each in documents)


def documents_of(text: str) -> Documents:
    """The documents of a YAML text that are not empty."""
    # Hundreds of cases read and write large manifests: in C this takes a tenth of the time.
    return [item for item in yaml.load_all(text, Loader=yaml.CSafeLoader) if item]


@functools.lru_cache(maxsize=2_000)
def _text(pickled: bytes) -> str:
    # Most documents of a case are those of its base, and writing them takes as long as judging them.
    return yaml.dump(pickle.loads(pickled), Dumper=yaml.CSafeDumper, sort_keys=False)  # noqa: S301 - as above


@functools.cache
def _pickled(base: str) -> bytes:
    # Edits change what they are given, and a case must not see another's.
    return pickle.dumps(documents_of(base))


def _named(documents: Documents, wanted: str) -> Documents:
    kind, _, name = wanted.partition("/")
    found = [
        item
        for item in documents
        if item.get("kind") == kind and (not name or item["metadata"]["name"] == name)
    ]
    assert found, f"there is no {wanted}"
    return found


def _places(documents: Documents, wanted: str, path: str) -> Iterator[tuple[Any, Key]]:
    steps = _steps(path)
    for item in _named(documents, wanted):
        yield _walk(item, steps[:-1]), steps[-1]


def _walk(current: Any, steps: Sequence[Key]) -> Any:
    for step in steps:
        following = _get(current, step)
        if following is None:
            following = {}
            _set(current, step, following)
        current = following
    return current


def _steps(path: str) -> list[Key]:
    steps: list[Key] = []
    rest = path
    while rest:
        if rest.startswith("["):
            key, _, rest = rest[1:].partition("]")
            rest = rest.removeprefix(".")
        else:
            end = min((at for at in (rest.find("."), rest.find("[")) if at >= 0), default=len(rest))
            key, rest = rest[:end], rest[end:].removeprefix(".")
        steps.append(int(key) if key.isdigit() else key)
    return steps


def _get(parent: Any, key: Key) -> Any:
    if isinstance(parent, list):
        return parent[int(key)]
    return parent.get(key)


def _set(parent: Any, key: Key, value: Any) -> None:
    parent[key] = value
