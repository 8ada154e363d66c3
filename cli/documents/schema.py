"""JSON schemas of the documents that commands print (docs/command-output.md), from the documents' own models.

To bring docs/schemas/ up to date: `python -m cli.documents.schema`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from cli.documents.envelope import VERSIONS, Command, schema_name
from cli.documents.judged import CheckDocument
from cli.list_stacks import ListDocument
from cli.recover import RecoverDocument
from cli.size import SizeDocument
from comparison.stack_comparison import Comparison
from explain.explanation.sections import Explanation
from operations.benchmark.result import BenchmarkResult
from operations.doctor.finding import Diagnosis
from operations.drift.report import DriftReport
from operations.engine_preview.preview import EnginePreview
from operations.node_pools.pools import FoundPools
from operations.preflight.answer import Preflight
from operations.smoke.results import SmokeReport
from stacks.settings.schema import definitions_of

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
RESULT_SCHEMA = SCHEMAS / "bench.schema.json"
DOCUMENTS: Mapping[Command, type[BaseModel]] = {
    "list": ListDocument,
    "size": SizeDocument,
    "explain": Explanation,
    "check": CheckDocument,
    "preflight": Preflight,
    "preview": EnginePreview,
    "diff": Comparison,
    "drift": DriftReport,
    "recover": RecoverDocument,
    "doctor": Diagnosis,
    "smoke": SmokeReport,
    "pools": FoundPools,
}
"""Command -> the model of what it prints with --json."""


def document_schema(command: Command) -> dict[str, Any]:
    """Return the schema of a command's document; it lets keys pass that a later program adds."""
    model = DOCUMENTS[command]
    definitions = definitions_of(model, "serialization")
    own = definitions.pop(model.__name__)
    envelope = {"schema": {"const": schema_name(command)}, "version": {"const": VERSIONS[command]}}
    return {
        # The draft of the other schemas here.
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"dynamo-stack {command}, as JSON",
        "description": own["description"],
        "type": "object",
        "required": [*envelope, *own["required"]],
        "properties": {**envelope, **own["properties"]},
        "$defs": dict(sorted(definitions.items())),
    }


def schema_file(command: Command) -> Path:
    """Return the file of a command's schema."""
    return SCHEMAS / f"{command}.schema.json"


def schema_text(command: Command) -> str:
    """Return what the file of a command's schema has to hold."""
    return json.dumps(document_schema(command), indent=2, ensure_ascii=False) + "\n"


def result_schema_text() -> str:
    """Return what bench.schema.json has to hold: result.json has a version of its own."""
    definitions = definitions_of(BenchmarkResult, "serialization")
    own = definitions.pop(BenchmarkResult.__name__)
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "dynamo-stack bench --json",
        **own,
        "$defs": dict(sorted(definitions.items())),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for each in DOCUMENTS:
        schema_file(each).write_text(schema_text(each), encoding="utf-8")
    RESULT_SCHEMA.write_text(result_schema_text(), encoding="utf-8")
