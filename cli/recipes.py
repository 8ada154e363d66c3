"""`dynamo-stack recipes`: its subcommands."""

import typer

from cli.recipe_new import new
from cli.recipe_show import show

recipes = typer.Typer(no_args_is_help=True, add_completion=False)
recipes.command(
    "show", help="Show a recipe on one screen: services, GPUs, engine options, corrections, evidence."
)(show)
recipes.command("new", help="Copy a recipe under another name into a folder of your own, comments and all.")(
    new
)
