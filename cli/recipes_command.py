"""`dynamo-stack recipes`: what its subcommands take."""

# ruff: noqa: PLC0415
# As in cli/main.py: each command imports what it needs when it runs.

from pathlib import Path
from typing import Annotated

import typer

from cli.completion import complete_recipe

recipes_app = typer.Typer(no_args_is_help=True, help="Show a recipe, or copy one to change it.")

_Folder = Annotated[
    Path | None,
    typer.Option("--folder", metavar="DIR", help="Recipes of your own; else where the stacks here say."),
]


@recipes_app.command(name="show")
def show_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE", help="As `dynamo-stack list` prints it.", autocompletion=complete_recipe
        ),
    ],
    folder: _Folder = None,
    as_yaml: Annotated[bool, typer.Option("--yaml", help="Print its file.")] = False,
) -> None:
    """Show a recipe on one screen: services, GPUs, engine options, corrections, evidence."""
    from cli.recipe_show import show

    show(name, folder, as_yaml=as_yaml)


@recipes_app.command(name="new")
def new_command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Of the new recipe, such as ours/long-prompts.")
    ],
    original: Annotated[
        str,
        typer.Option("--from", metavar="RECIPE", help="The recipe to copy.", autocompletion=complete_recipe),
    ],
    folder: _Folder = None,
) -> None:
    """Copy a recipe under another name into a folder of your own, comments and all."""
    from cli.recipe_new import new

    new(name, original, folder)
