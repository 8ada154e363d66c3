"""What several commands take: the name of a stack, as a person types it, and --json."""

from typing import Annotated

import typer

from cli.completion import complete_stack


def stack_name(text: str) -> str:
    """The stack that a person means, who may have let the shell complete its file's name."""
    return text.removeprefix("./").removeprefix("Pulumi.").removesuffix(".yaml")


StackArgument = Annotated[
    str,
    typer.Argument(
        metavar="STACK",
        help="Name of the stack, or of its file here: dev or Pulumi.dev.yaml.",
        callback=stack_name,
        autocompletion=complete_stack,
    ),
]

OptionalStackArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[STACK]", help="Name of a stack, or of its file here.", autocompletion=complete_stack
    ),
]
"""Of a command that takes an address instead."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
