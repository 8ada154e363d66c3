"""JSON schemas of the documents, and docs/command-output.md, the page about them.

Written from the documents' own models. To bring docs/schemas/ and the page up to date:
`python -m cli.documents.schema`.
"""

import json
from pathlib import Path
from typing import Any

from cli.documents.catalogue import PRINTED, Printed
from cli.documents.envelope import VERSIONS, schema_name
from stacks.settings.model_tables import summary, table
from stacks.settings.schema import definitions_of

_DOCS = Path(__file__).parents[2] / "docs"
SCHEMAS = _DOCS / "schemas"
PAGE = _DOCS / "command-output.md"
_SHELL = (
    "## Completion in the shell",
    "",
    "`dynamo-stack --install-completion` teaches bash, zsh, fish or PowerShell the commands, their options,",
    "and the names of stacks and recipes; `--show-completion` prints the script instead. Start a new shell",
    "afterwards. A completion reads names of files and no stack, so it is as fast as `--help`.",
)


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


def command_output_page() -> str:
    """Return the page as Markdown."""
    lines = [
        "# What commands print for programs",
        "",
        "<!-- Written by `python -m cli.documents.schema` from the models in cli/documents/catalogue.py. -->",
        "",
        "With `--json` a command prints one JSON document on stdout and nothing else; other remarks go to",
        "stderr. A command that cannot begin prints no document, says why on stderr and ends with exit",
        "code 2, or 3 of `preview`. No document holds a secret.",
        "",
        "Every document begins with the same two keys:",
        "",
        "```json",
        '{"schema": "dynamo-stack/drift", "version": 1, …}',
        "```",
        "",
        "A version counts up when a key goes or gets another meaning. A new key leaves it as it is: ignore",
        "keys that you do not know. Sentences are for people: their wording changes any time.",
        "",
        "The schema of a document says what each key holds and means.",
        "",
        *table(("command", "document and its schema", "exit codes"), map(_row, PRINTED)),
        "",
        "`dynamo-stack bench --json` prints its own file, `result.json`, which has a `schemaVersion`",
        "([schema](schemas/bench.schema.json)). `dynamo-stack preflight STACK --policy deployer` (or",
        "`previewer`) prints IAM policies, one after the other, without these keys.",
        "",
        *_SHELL,
    ]
    return "\n".join([*lines, ""])


def _row(printed: Printed) -> tuple[str, str, str]:
    document = f"{summary(printed.model)} [Schema](schemas/{printed.command}.schema.json)"
    return f"`dynamo-stack {printed.typed}`", document, printed.exits


if __name__ == "__main__":
    SCHEMAS.mkdir(exist_ok=True)
    for each in PRINTED:
        schema_file(each).write_text(schema_text(each), encoding="utf-8")
    PAGE.write_text(command_output_page(), encoding="utf-8")
