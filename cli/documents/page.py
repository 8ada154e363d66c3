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
        "([benchmark-files.md](benchmark-files.md)). `dynamo-stack preflight STACK --policy deployer` (or",
        "`previewer`) prints IAM policies, one after the other, without these keys.",
        "",
        *_SHELL,
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
