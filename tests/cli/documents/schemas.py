"""The schemas of documents, so strict that a key which nobody has documented does not pass."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import jsonschema

from cli.documents.schema import document_schema

if TYPE_CHECKING:
    from collections.abc import Iterator


def read_document(command: Any, text: str) -> dict[str, Any]:
    """What a command printed, which has to be its own document."""
    document = json.loads(text)
    schema = document_schema(command)
    for node in _mappings(schema):
        node["additionalProperties"] = False
    jsonschema.Draft7Validator(schema).validate(document)
    assert list(document)[:2] == ["schema", "version"]
    return document


def _mappings(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        node = cast("dict[str, Any]", value)
        if isinstance(node.get("properties"), dict) and "type" in node:
            yield node
        for inner in node.values():
            yield from _mappings(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _mappings(inner)
