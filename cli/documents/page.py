"""docs/command-output.md, the page of what commands print for programs."""

from pathlib import Path

from cli.documents.catalogue import PRINTED, Printed
from stacks.settings.document import summary
from stacks.settings.model_tables import table

PAGE = Path(__file__).parents[2] / "docs" / "command-output.md"


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


_SHELL = (
    "## Completion in the shell",
    "",
    "`dynamo-stack --install-completion` teaches bash, zsh, fish or PowerShell the commands, their options,",
    "and the names of stacks and recipes; `--show-completion` prints the script instead. Start a new shell",
    "afterwards. A completion reads names of files and no stack, so it is as fast as `--help`.",
)


def _row(printed: Printed) -> tuple[str, str, str]:
    document = f"{summary(printed.model)} [Schema](schemas/{printed.command}.schema.json)"
    return f"`dynamo-stack {printed.typed}`", document, printed.exits
