"""docs/command-output.md, the page of what commands print for programs."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_origin

from pydantic import BaseModel

from cli.documents.catalogue import PRINTED, Printed
from stacks.settings.model_tables import sections, table
from stacks.settings.setting_places import field_place, models_of

PAGE = Path(__file__).parents[2] / "docs" / "command-output.md"


def command_output_page() -> str:
    """Return the page as Markdown."""
    lines = [
        "# What commands print for programs",
        "",
        "<!-- Written by `python -m cli.documents.schema`; change cli/documents instead. -->",
        "",
        "With `--json` a command prints one JSON document on stdout and nothing else; what a person should",
        "know meanwhile goes to stderr. A command that cannot begin prints no document, says why on stderr",
        "and ends with exit code 2, or 3 of `preview`. No document holds a secret.",
        "",
        "Every document begins with the same two keys:",
        "",
        "```json",
        '{"schema": "dynamo-stack/drift", "version": 1, …}',
        "```",
        "",
        "A version counts up when a key goes or another meaning takes its place. A new key leaves it as it",
        "is, so ignore keys that you do not know. Sentences are for people: their wording changes any time.",
        "",
        *table(("command", "document", "exit codes"), map(_row, PRINTED)),
        "",
        "`dynamo-stack bench --json` prints its own file, `result.json`, which has a `schemaVersion`",
        "([benchmark-files.md](benchmark-files.md)).",
        "",
        *_SHELL,
        "",
        *_SARIF,
    ]
    for printed in PRINTED:
        lines += ["", f"## {printed.command}", *_tables(printed)]
    return "\n".join([*lines, ""])


_SHELL = (
    "## Completion in the shell",
    "",
    "`dynamo-stack --install-completion` teaches bash, zsh, fish or PowerShell the commands, their options,",
    "the names of the stacks here and of the recipes; `--show-completion` prints the script instead, for a",
    "file that your shell reads. Start a new shell afterwards. A completion reads names of files and never a",
    "stack, so that it takes no longer than `--help`.",
)


_SARIF = (
    "## Findings in GitHub code scanning",
    "",
    "`dynamo-stack check STACK --sarif FILE`, or `check --file … --sarif FILE`, also writes the findings as",
    "SARIF 2.1.0; table, JSON and exit codes stay as they are. A finding of a stack points to the line of",
    "`Pulumi.STACK.yaml` that most likely has to change, one of a manifest to its own line; paths begin at",
    "the root of the git checkout. Mandatory findings are errors, advisory ones warnings; a waived finding",
    "is suppressed, with reason and last day; GitHub does not say that it reads suppressions, so an alert",
    "may stay open until somebody dismisses it. What could not be decided is no result: the table lists it.",
    "A finding keeps its fingerprint while its numbers and lines change. Of more than 5,000 findings, the",
    "most that code scanning shows, mandatory ones come first, and a notification counts those left out.",
    "",
    "```yaml",
    "- run: dynamo-stack check disagg-b200 --sarif check.sarif",
    "- if: always()",
    "  uses: github/codeql-action/upload-sarif@1c5b675653bb5c22dbe9b12b556ec555138e09fd # v4.38.1",
    "  with: {sarif_file: check.sarif}",
    "```",
    "",
    "`dynamo-stack diff BASE..HEAD --format sarif` says what is new between two revisions, and what would be",
    "refused ([how to upload it](pull-requests.md#code-scanning)).",
)


def _row(printed: Printed) -> tuple[str, str, str]:
    name = f"{printed.command}.schema.json"
    document = f"[{printed.command}](#{printed.command}), [schema](schemas/{name})"
    return f"`dynamo-stack {printed.typed}`", document, printed.exits


def _tables(printed: Printed) -> list[str]:
    return sections([("", printed.model), *_inner("", printed.model)])


def _inner(path: str, model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield every mapping within a document's, by the keys that lead to it."""
    for name, field in model.model_fields.items():
        for found in models_of(field.annotation):
            is_list = any(get_origin(choice) is tuple for choice in field_place(field).choices)
            place = f"{path}.{field.alias or name}{'[]' if is_list else ''}".removeprefix(".")
            yield place, found
            yield from _inner(place, found)
