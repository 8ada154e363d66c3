"""`dynamo-stack recipes`: shows a recipe, or copies one into a folder of a person's own."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from cli.output import Row, print_sections, print_table, say
from cli.stack_argument import complete_recipe
from engines.release import RUNTIME_TAGS
from operations.errors import CommandError
from recipes.files import RECIPE_NAME, copied_recipe
from recipes.fitting import usable_accelerators
from recipes.load import CATALOGUE, recipe_file, recipe_names
from recipes.model import Recipe
from recipes.services import dotted_options
from stacks.errors import SettingsError
from stacks.plan.recipe_files import known_recipes, read_recipe, shown_file, unknown_recipe
from stacks.served_runs import evidence_on

_WIDTH = 120
recipes = typer.Typer(no_args_is_help=True, add_completion=False)


@recipes.command(help="Show a recipe on one screen: services, GPUs, engine options, corrections, evidence.")
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE", help="As `dynamo-stack list` prints it.", autocompletion=complete_recipe
        ),
    ],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", metavar="DIR", exists=True, file_okay=False, help="Recipes of your own beside ours."
        ),
    ] = None,
) -> None:
    """Print a recipe."""
    recipe, file = _find(name, folder)
    print_sections(_facts(recipe, file), _WIDTH)
    say()
    headers = ("SERVICE", "ROLE", "REPLICAS", "GPUS", "ARGUMENTS AND VARIABLES")
    print_table(headers, _services(recipe), width=_WIDTH)
    say()
    roles = [worker.role.upper() for worker in recipe.workers]
    print_table(("ENGINE OPTION", *roles), _options(recipe), width=_WIDTH)
    say()
    evidence = [*_evidence(recipe)] or [("none", "no", "no known node has such GPUs and room for a worker")]
    print_table(("GPU", "VALIDATED UPSTREAM", "EVIDENCE"), evidence, width=_WIDTH)


@recipes.command(help="Copy a recipe under another name into a folder of your own, comments and all.")
def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Of the new recipe, such as ours/long-prompts.")
    ],
    original: Annotated[
        str,
        typer.Option("--from", metavar="RECIPE", help="The recipe to copy.", autocompletion=complete_recipe),
    ],
    folder: Annotated[
        Path, typer.Option("--folder", metavar="DIR", file_okay=False, help="Recipes of your own.")
    ],
) -> None:
    """Write a copy of a recipe; nothing is overwritten."""
    file = _new_file(name, folder)
    _, copied = _find(original, folder)
    copy = copied_recipe(copied.read_text(encoding="utf-8"), original=original, name=name, file=file)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8") as new_one:
        new_one.write(copy)
    say(f"{file}: a copy of {original}; change what should differ")
    say(f"  in a stack's file: serving.recipe: {name} and serving.recipeFolder: {folder}")
    where = f"--folder {shlex.quote(str(folder))}"
    say(f"  then: `dynamo-stack recipes show {name} {where}` and `dynamo-stack explain STACK`")


def _new_file(name: str, folder: Path) -> Path:
    """Return the file of a recipe that is to be written; CommandError where the name is none, or taken."""
    if not RECIPE_NAME.fullmatch(name):
        raise CommandError(
            f"{name}: not a name for a recipe\n"
            "  allowed: small letters, digits, dots, hyphens and underscores, with one slash at most"
        )
    file = recipe_file(name, folder)
    if name in recipe_names() and folder.resolve() != CATALOGUE.resolve():
        raise CommandError(f"{name}: the catalogue has a recipe of this name\n  try: another name")
    if file.exists():
        raise CommandError(f"{file}: exists, and nothing is overwritten\n  try: another name")
    return file


def _find(name: str, folder: Path | None) -> tuple[Recipe, Path]:
    """Return the recipe of that name and its file, in the folder or in the catalogue.

    Raises:
        SettingsError: there is none, or its file cannot be used.

    """
    if name not in known_recipes(folder):
        raise SettingsError({"recipes": [unknown_recipe("RECIPE", name, folder)]})
    own = folder if folder and name in recipe_names(folder) else None
    return read_recipe(name, folder), recipe_file(name, own)


def _facts(recipe: Recipe, file: Path) -> Iterator[Row]:
    model = recipe.model
    runtime = recipe.runtime
    traffic = recipe.traffic
    yield "RECIPE", f"{recipe.name}: {recipe.title}"
    yield "FILE", shown_file(file)
    yield "MODEL", f"{model.repository} at {model.revision}, {model.size_bytes / 1e9:.1f} GB"
    image = f"{runtime.image}:{runtime.version}"
    server = "" if runtime.platform_lines else f", server {recipe.server}"
    yield "ENGINE", f"{recipe.framework}, {image}{server}"
    if runtime.platform_lines:
        yield "PLATFORM", _platform_lines(recipe)
    lengths = f"{traffic.input_tokens} tokens in, {traffic.output_tokens} out"
    most = f"prompts up to {recipe.longest_prompt:,} tokens; {recipe.running_requests} requests at once"
    yield "TRAFFIC", f"{lengths}; {most}"
    yield "CORRECTIONS", _corrections(recipe, file)


def _platform_lines(recipe: Recipe) -> str:
    runtime = recipe.runtime
    tags = ", ".join(f"{line} with image {_version_on(recipe, line)}" for line in runtime.platform_lines)
    return f"{tags}; a new stack begins on {runtime.line_of_new_stacks}"


def _version_on(recipe: Recipe, line: str) -> str:
    """Return the tag of the image there; a recipe of one's own may name a line of which nothing is known."""
    known = line in RUNTIME_TAGS or line == recipe.runtime.published_line
    return recipe.runtime.version_on(line) if known else "unknown"


def _corrections(recipe: Recipe, file: Path) -> str:
    if not recipe.corrections:
        return "none recorded"
    return f"{len(recipe.corrections)} published values stand otherwise here: {shown_file(file)}"


def _services(recipe: Recipe) -> Iterator[tuple[str, ...]]:
    for service in recipe.services:
        variables = (f"{name}={value}" for name, value in service.environment.items())
        given = " ".join((*service.arguments, *variables))
        yield service.service_name, service.role, str(service.replicas), str(service.gpus), given


def _options(recipe: Recipe) -> Iterator[tuple[str, ...]]:
    workers = (worker.options.model_dump(exclude_unset=True) for worker in recipe.workers)
    by_worker = [dict(dotted_options(options)) for options in workers]
    for option in sorted({option for options in by_worker for option in options}):
        yield option, *(_shown(options[option]) if option in options else "" for options in by_worker)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _evidence(recipe: Recipe) -> Iterator[tuple[str, str, str]]:
    for accelerator in usable_accelerators(recipe):
        found = evidence_on(recipe, accelerator)
        validated = "yes" if accelerator in recipe.validated_on else "no"
        yield accelerator, validated, f"{found.level.value}: {found.reason}"
