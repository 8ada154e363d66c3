"""`dynamo-stack list`."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from cli.output import make_console, print_line, print_table
from hardware import ACCELERATORS
from operations.project import stack_directory
from recipes.evidence import evidence_on
from recipes.load import recipe_names
from recipes.model import Recipe
from stacks.errors import SettingsError
from stacks.plan.recipe_files import read_recipe
from stacks.plan.resolve import resolve
from stacks.settings.load import list_stacks, load_stack
from stacks.settings.stack import StackSettings


def list_stacks_and_recipes() -> None:
    """Print the tables; a stack or recipe that cannot be used is listed with the reason."""
    directory = stack_directory(Path.cwd())
    console = make_console()
    stacks = {name: _settings(name, directory) for name in list_stacks(directory)}
    if stacks:
        rows = ((name, *_stack_columns(name, found, directory)) for name, found in stacks.items())
        print_table(console, ("STACK", "RECIPE", "GPUS", "EVIDENCE"), rows)
    else:
        print_line(
            console, f"no stacks: there is no Pulumi.STACK.yaml in {directory}, nor a project above it"
        )
        print_line(console, "  try: run this in a checkout of the project")
    print_line(console)
    headers = ("RECIPE", "GPUS", "PLATFORM", "VALIDATED UPSTREAM ON", "EVIDENCE")
    print_table(console, headers, (_recipe_columns(name, None) for name in recipe_names()))
    used = (found.serving.recipe_folder for found in stacks.values() if isinstance(found, StackSettings))
    for typed in sorted({folder for folder in used if folder is not None}):
        folder = directory / typed
        rows = (_recipe_columns(name, folder) for name in recipe_names(folder))
        print_line(console)
        print_table(console, (f"RECIPE OF {typed}", *headers[1:]), rows)


def _settings(name: str, directory: Path) -> StackSettings | SettingsError:
    try:
        return load_stack(name, directory)
    except SettingsError as error:
        return error


def _stack_columns(name: str, found: StackSettings | SettingsError, directory: Path) -> tuple[str, str, str]:
    try:
        if isinstance(found, SettingsError):
            raise found
        stack = resolve(name, found, f"Pulumi.{name}.yaml", directory)
    except SettingsError as error:
        return "cannot be used", "", error.texts[0].replace("\n", "; ")
    used: Counter[str] = Counter()
    for placed in stack.pools:
        used[placed.pool.instance_type.accelerator.name] += placed.used_gpus
    gpus = {name: count for name, count in sorted(used.items()) if count}
    shown = ", ".join(f"{count} {name}" for name, count in gpus.items())
    recipe = stack.serving.placed.recipe
    return recipe.name, shown, _evidence(recipe, gpus)


def _recipe_columns(name: str, folder: Path | None) -> tuple[str, str, str, str, str]:
    try:
        recipe = read_recipe(name, folder)
    except SettingsError as error:
        return name, "", "", "cannot be used", error.texts[0].replace("\n", "; ")
    accelerators = [
        accelerator.name
        for accelerator in ACCELERATORS.values()
        if accelerator.architecture_family in recipe.quantization.architecture_families
    ]
    lines = " ".join(recipe.runtime.platform_lines) or "none"
    return name, str(recipe.gpus), lines, ", ".join(recipe.validated_on), _evidence(recipe, accelerators)


def _evidence(recipe: Recipe, accelerators: Iterable[str]) -> str:
    return ", ".join(f"{name}: {evidence_on(recipe, name).level.value}" for name in accelerators)
