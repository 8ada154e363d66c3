"""`dynamo-stack list`."""

from pathlib import Path

from cli.output import make_console, make_table, print_line, print_table
from hardware import ACCELERATORS
from operations.project import stack_directory
from recipes.evidence import evidence_on
from recipes.load import load_recipe, recipe_names
from recipes.model import Recipe
from stacks.errors import SettingsError
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan
from stacks.settings.load import list_stacks, load_stack


def list_stacks_and_recipes() -> None:
    """Print both tables; a stack that cannot be resolved is listed with the reason."""
    directory = stack_directory(Path.cwd())
    console = make_console()
    names = list_stacks(directory)
    if names:
        stacks = make_table("STACK", "RECIPE", "GPUS", "EVIDENCE")
        for name in names:
            stacks.add_row(name, *_stack_columns(name, directory))
        print_table(console, stacks)
    else:
        print_line(
            console, f"no stacks: there is no Pulumi.STACK.yaml in {directory}, nor a project above it"
        )
        print_line(console, "  try: run this in a checkout of the project")
    print_line(console)
    recipes = make_table("RECIPE", "GPUS", "VALIDATED UPSTREAM ON", "EVIDENCE")
    for name in recipe_names():
        recipe = load_recipe(name)
        families = recipe.quantization.architecture_families
        levels = [
            f"{accelerator.name}: {evidence_on(recipe, accelerator.name).level.value}"
            for accelerator in ACCELERATORS.values()
            if accelerator.architecture_family in families
        ]
        recipes.add_row(name, str(recipe.gpus), ", ".join(recipe.validated_on), ", ".join(levels))
    print_table(console, recipes)


def _stack_columns(name: str, directory: Path) -> tuple[str, str, str]:
    try:
        stack = resolve(name, load_stack(name, directory), f"Pulumi.{name}.yaml")
    except SettingsError as error:
        return "cannot be used", "", error.texts[0].replace("\n", "; ")
    used: dict[str, int] = {}
    for placed in stack.pools:
        if placed.used_gpus:
            accelerator = placed.pool.instance_type.accelerator.name
            used[accelerator] = used.get(accelerator, 0) + placed.used_gpus
    gpus = ", ".join(f"{count} {accelerator}" for accelerator, count in sorted(used.items()))
    return stack.serving.placed.recipe.name, gpus, _evidence(stack.serving.placed.recipe, stack)


def _evidence(recipe: Recipe, stack: StackPlan) -> str:
    used = (placed.pool.instance_type for placed in stack.pools if placed.used_gpus)
    accelerators = sorted({instance_type.accelerator.name for instance_type in used})
    return ", ".join(f"{name}: {evidence_on(recipe, name).level.value}" for name in accelerators)
