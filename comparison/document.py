"""A comparison as JSON, for programs: its form, its version and its schema.

To bring docs/diff.schema.json up to date: `python -m comparison.document`.
"""

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from comparison.result import RESULT
from comparison.stack_comparison import Comparison

SCHEMA_FILE = Path(__file__).parent.parent / "docs" / "diff.schema.json"


@dataclass(frozen=True, config=RESULT)
class DiffDocument(Comparison):
    """What `dynamo-stack diff --format json` prints."""

    schema_name: Literal["dynamo-stack/diff"] = Field(
        default="dynamo-stack/diff", serialization_alias="schema"
    )
    version: Literal[1] = 1
    """Rises by one when a key goes or another meaning takes its place; a new key leaves it as it is."""


_FORM = TypeAdapter(DiffDocument)
_FIRST = ("schema", "version", "verdict")


def as_document(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as JSON types, as docs/diff.schema.json describes them."""
    comparison = DiffDocument(
        base=comparison.base,
        head=comparison.head,
        stacks=comparison.stacks,
        changed_code=comparison.changed_code,
    )
    document = _FORM.dump_python(comparison, mode="json", by_alias=True)
    return {key: document[key] for key in (*_FIRST, *document)}


def diff_schema_text() -> str:
    """Return what docs/diff.schema.json has to hold."""
    schema = _FORM.json_schema(mode="serialization")
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(draft | schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(diff_schema_text(), encoding="utf-8")
