"""A comparison as JSON, for programs: its form, its version and its schema.

To bring docs/diff.schema.json up to date: `python -m comparison.document`.
"""

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from comparison.stack_comparison import Comparison

SCHEMA_FILE = Path(__file__).parent.parent / "docs" / "diff.schema.json"


_FORM = TypeAdapter(Comparison)
_ENVELOPE = {"schema": "dynamo-stack/diff", "version": 1}
"""The version rises by one when a key goes or another meaning takes its place; a new key leaves it."""


def as_document(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as JSON types, as docs/diff.schema.json describes them."""
    document = _FORM.dump_python(comparison, mode="json", by_alias=True)
    return {**_ENVELOPE, "verdict": document["verdict"], **document}


def diff_schema_text() -> str:
    """Return what docs/diff.schema.json has to hold."""
    schema = _FORM.json_schema(mode="serialization")
    envelope = {key: {"const": value} for key, value in _ENVELOPE.items()}
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "dynamo-stack diff --format json",
        "description": "What `dynamo-stack diff --format json` prints.",
        "properties": {**envelope, **schema["properties"]},
        "required": [*envelope, *schema["required"]],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(diff_schema_text(), encoding="utf-8")
