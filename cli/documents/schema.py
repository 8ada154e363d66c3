"""JSON schemas of the documents, and docs/command-output.md, the page about them.

Written from the documents' own models. To bring docs/schemas/ and the page up to date:
`python -m cli.documents.schema`.
"""

import json
from pathlib import Path
from typing import Any

from cli.documents.catalogue import PRINTED, Printed
from cli.documents.envelope import VERSIONS, schema_name
from cli.documents.page import PAGE, command_output_page
from stacks.settings.schema import definitions_of

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


def document_schema(printed: Printed) -> dict[str, Any]:
    """Return the schema of a command's document; it lets keys pass that a later program adds."""
    definitions = definitions_of(printed.model, "serialization")
    own = definitions.pop(printed.model.__name__)
    envelope = {
        "schema": {"const": schema_name(printed.command)},
        "version": {"const": VERSIONS[printed.command]},
    }
    return {
        # The draft of the other schemas here.
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"dynamo-stack {printed.typed}",
        "description": own["description"],
        "type": "object",
        "required": [*envelope, *own["required"]],
        "properties": {**envelope, **own["properties"]},
        "$defs": dict(sorted(definitions.items())),
    }


def schema_file(printed: Printed) -> Path:
    """Return the file of a command's schema."""
    return SCHEMAS / f"{printed.command}.schema.json"


def schema_text(printed: Printed) -> str:
    """Return what the file of a command's schema has to hold."""
    return json.dumps(document_schema(printed), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMAS.mkdir(exist_ok=True)
    for each in PRINTED:
        schema_file(each).write_text(schema_text(each), encoding="utf-8")
    PAGE.write_text(command_output_page(), encoding="utf-8")
