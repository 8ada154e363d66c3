"""`dynamo-stack list`."""

from pathlib import Path

from cli.evidence import evidence
from cli.output import make_console, make_table, print_line, print_table
from cli.project import stack_directory
from hardware import ACCELERATORS
from recipes.load import load_recipe, recipe_names
from stacks.errors import SettingsError
from stacks.load import list_stacks, load_stack
from stacks.resolve import resolve


def list_stacks_and_recipes() -> None:
    """Print both tables; a stack that cannot be resolved is listed with the reason."""
    directory = stack_directory(Path.cwd())
    console = make_console()
    stacks = make_table("STACK", "RECIPE", "ACCELERATORS")
    for name in list_stacks(directory):
        stacks.add_row(name, *_stack_columns(name, directory))
    print_table(console, stacks)
    print_line(console)
    recipes = make_table("RECIPE", "GPUS", "EVIDENCE")
    for name in recipe_names():
        recipe = load_recipe(name)
        gpus = sum(worker.gpus * worker.replicas for worker in recipe.workers)
        families = recipe.quantization.architecture_families
        levels = [
            f"{accelerator.name}: {evidence(name, accelerator.name).level.value}"
            for accelerator in ACCELERATORS.values()
            if accelerator.architecture_family in families
        ]
        recipes.add_row(name, str(gpus), ", ".join(levels))
    print_table(console, recipes)


def _stack_columns(name: str, directory: Path) -> tuple[str, str]:
    try:
        stack = resolve(name, load_stack(name, directory), f"Pulumi.{name}.yaml")
    except SettingsError as error:
        return "cannot be used", str(error.problems[0]).replace("\n", "; ")
    accelerators = sorted({pool.instance_type.accelerator.name for pool in stack.pools if pool.used_gpus})
    return stack.serving.recipe_name, ", ".join(accelerators)
