"""`dynamo-stack list`."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from cli.output import make_console, print_line, print_table
from hardware import ACCELERATORS
from operations.project import stack_directory
from recipes.evidence import evidence_on
from recipes.load import load_recipe, recipe_names
from recipes.model import Recipe
from stacks.errors import SettingsError
from stacks.plan.resolve import resolve
from stacks.settings.load import list_stacks, load_stack


def list_stacks_and_recipes() -> None:
    """Print both tables; a stack that cannot be resolved is listed with the reason."""
    directory = stack_directory(Path.cwd())
    console = make_console()
    names = list_stacks(directory)
    if names:
        rows = ((name, *_stack_columns(name, directory)) for name in names)
        print_table(console, ("STACK", "RECIPE", "GPUS", "EVIDENCE"), rows)
    else:
        print_line(
            console, f"no stacks: there is no Pulumi.STACK.yaml in {directory}, nor a project above it"
        )
        print_line(console, "  try: run this in a checkout of the project")
    print_line(console)
    headers = ("RECIPE", "GPUS", "VALIDATED UPSTREAM ON", "EVIDENCE")
    print_table(console, headers, map(_recipe_columns, recipe_names()))


def _stack_columns(name: str, directory: Path) -> tuple[str, str, str]:
    try:
        stack = resolve(name, load_stack(name, directory), f"Pulumi.{name}.yaml")
    except SettingsError as error:
        return "cannot be used", "", error.texts[0].replace("\n", "; ")
    used: Counter[str] = Counter()
    for placed in stack.pools:
        used[placed.pool.instance_type.accelerator.name] += placed.used_gpus
    gpus = {name: count for name, count in sorted(used.items()) if count}
    shown = ", ".join(f"{count} {name}" for name, count in gpus.items())
    recipe = stack.serving.placed.recipe
    return recipe.name, shown, _evidence(recipe, gpus)


def _recipe_columns(name: str) -> tuple[str, str, str, str]:
    recipe = load_recipe(name)
    accelerators = [
        accelerator.name
        for accelerator in ACCELERATORS.values()
        if accelerator.architecture_family in recipe.quantization.architecture_families
    ]
    return name, str(recipe.gpus), ", ".join(recipe.validated_on), _evidence(recipe, accelerators)


def _evidence(recipe: Recipe, accelerators: Iterable[str]) -> str:
    return ", ".join(f"{name}: {evidence_on(recipe, name).level.value}" for name in accelerators)
