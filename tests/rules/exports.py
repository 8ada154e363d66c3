"""States of stacks as cases write them: one YAML document for each resource, in the order of creation.

A document has `type`, `name`, and where they matter `inputs`, `parent`, `provider`, `dependsOn`, `protect`,
`retainOnDelete` and `timeouts`; other resources are named by `Kind/name`, Kind being the end of the type, and
components by `components:Kind/name`. An edit may leave out a part of a name with `*`, such as a hash.
`{secret: …}` among the inputs stands for a value that the program marked as secret.
"""

import fnmatch
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from resource_graph.engine_state import state_graph
from resource_graph.input_text import read_inputs
from resource_graph.values import Path as InputPath
from tests.rules.edits import Documents, Edit, add, documents_of, drop, put

STACK, PROJECT = "prod", "program"
SECRET_KEY = "secret"
LATER = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""Among the inputs: known only after the update."""

_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
_CUSTOM = ("aws:", "kubernetes:", "pulumi:providers:")


def resource(name: str, path: str, value: Any) -> Edit:
    """Set what stands at the path of one resource, named `Kind/name`: `inputs.spec.replicas`, `protect`."""
    return _on(name, put, path, value)


def unset(name: str, path: str) -> Edit:
    """Remove what stands at the path."""
    return _on(name, drop, path)


def append(name: str, path: str, item: Any) -> Edit:
    """Append to the list at the path; an absent list is made."""
    return _on(name, add, path, item)


def undepend(name: str, *dependencies: str) -> Edit:
    """Take edges away from one resource."""

    def edit(documents: Documents) -> None:
        found = _named(documents, name)
        for dependency in dependencies:
            gone = fnmatch.filter(found["dependsOn"], dependency)
            assert gone, f"{name} does not depend on {dependency}"
            found["dependsOn"] = [each for each in found["dependsOn"] if each not in gone]

    return edit


def removed(*names: str) -> Edit:
    """Remove resources, and the edges to them."""

    def edit(documents: Documents) -> None:
        for name in names:
            documents.remove(_named(documents, name))
            for document in documents:
                document["dependsOn"] = [each for each in document.get("dependsOn", ()) if each != name]

    return edit


def state_text(graph: ResourceGraph) -> str:
    """A recorded graph as the documents of a state."""
    keys = {each.urn: _key(each.type, each.name) for each in graph}
    return yaml.dump_all([_document(each, keys) for each in graph], Dumper=yaml.CSafeDumper, sort_keys=False)


def read_state_text(text: str, folder: Path) -> ResourceGraph:
    """The graph that is read from the state that the documents describe."""
    documents = documents_of(text)
    file = folder / "state.json"
    resources = _exported(documents)
    file.write_text(json.dumps({"version": 3, "deployment": {"resources": resources}}), encoding="utf-8")
    return state_graph(*read_inputs([file]))


def _on(name: str, make: Any, path: str, *arguments: Any) -> Edit:
    def edit(documents: Documents) -> None:
        found = _named(documents, name)
        # The shared edits know documents by kind.
        alone = [{"kind": "Found", "metadata": {"name": "it"}, "content": found}]
        make("Found", f"content.{path}", *arguments)(alone)

    return edit


def _named(documents: Documents, name: str) -> dict[str, Any]:
    found = [item for item in documents if fnmatch.fnmatchcase(_key(item["type"], item["name"]), name)]
    assert len(found) == 1, f"there are {len(found)} resources {name}"
    return found[0]


def _key(resource_type: str, name: str) -> str:
    # A component may have the kind and the name of its child.
    kind = resource_type.rpartition(":")[2] if resource_type.startswith(_CUSTOM) else resource_type
    return f"{kind.partition(':')[2] if ':' in kind else kind}/{name}"


def _exported(documents: Documents) -> list[dict[str, Any]]:
    urns: dict[str, str] = {}
    exported: list[dict[str, Any]] = []
    for document in documents:
        key = _key(document["type"], document["name"])
        assert key not in urns, f"{key} stands there twice"
        urns[key] = f"urn:pulumi:{STACK}::{PROJECT}::{document['type']}::{document['name']}"
        provider = document.get("provider")
        exported.append(
            {
                "urn": urns[key],
                "custom": document["type"].startswith(_CUSTOM),
                "type": document["type"],
                "inputs": _with_secrets(document.get("inputs", {})),
                "parent": urns[document["parent"]] if "parent" in document else None,
                "provider": f"{urns[provider]}::id" if provider else None,
                "dependencies": [urns[each] for each in document.get("dependsOn", ())],
                "protect": document.get("protect", False),
                "retainOnDelete": document.get("retainOnDelete", False),
                "customTimeouts": document.get("timeouts", {}),
            }
        )
    return exported


def _with_secrets(value: Any) -> Any:
    if isinstance(value, Mapping):
        if set(value) == {SECRET_KEY}:
            return {_SIGNATURE: _SECRET, "ciphertext": "v1:planted"}
        return {key: _with_secrets(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_secrets(item) for item in value]
    return value


def _document(each: Resource, keys: Mapping[str, str]) -> dict[str, Any]:
    timeouts = each.custom_timeouts
    seconds = {"create": timeouts.create, "update": timeouts.update, "delete": timeouts.delete}
    document: dict[str, Any] = {
        "type": each.type,
        "name": each.name,
        "parent": keys.get(each.parent or ""),
        "provider": keys.get(each.provider or ""),
        "dependsOn": sorted(keys[urn] for urn in each.dependencies),
        "protect": each.protect,
        "retainOnDelete": each.retain_on_delete,
        "timeouts": {key: value for key, value in seconds.items() if value},
        "inputs": _written(each.inputs, (), each.secret_paths or frozenset()),
    }
    return {key: value for key, value in document.items() if value}


def _written(value: Value, path: InputPath, secrets: frozenset[InputPath]) -> Any:
    if path in secrets:
        return {SECRET_KEY: "…"}
    if value is UNKNOWN:
        return LATER
    if isinstance(value, Mapping):
        return {key: _written(item, (*path, key), secrets) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_written(item, (*path, index), secrets) for index, item in enumerate(value)]
    return value
