"""`dynamo-stack list`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console

from cli.documents.listed import ListDocument, ListedEvidence, ListedRecipe, ListedStack
from cli.output import make_console, print_document, print_line, print_table
from cli.stack_argument import AsJson
from hardware import ACCELERATORS
from recipes.fitting import gpus_on_one_node
from recipes.load import recipe_names
from recipes.model import Recipe
from stacks.errors import SettingsError
from stacks.plan.recipe_files import read_recipe
from stacks.plan.resolve import resolve
from stacks.served_runs import evidence_on
from stacks.settings.load import load_stack
from stacks.settings.stack import StackSettings
from stacks.stack_files import list_stacks, stack_directory

_HEADERS = ("GPUS", "PLATFORM", "VALIDATED UPSTREAM ON", "EVIDENCE")
_UNUSABLE = "cannot be used"


def list_stacks_and_recipes(*, as_json: AsJson = False) -> None:
    """Print the tables; a stack or recipe that cannot be used is listed with the reason."""
    directory = stack_directory(Path.cwd())
    listed = _listed(directory)
    if as_json:
        print_document("list", listed.as_json())
        return
    console = make_console()
    if listed.stacks:
        rows = map(_stack_columns, listed.stacks)
        print_table(console, ("STACK", "RECIPE", "GPUS", "EVIDENCE"), rows)
    else:
        print_line(
            console, f"no stacks: there is no Pulumi.STACK.yaml in {directory}, nor a project above it"
        )
        print_line(console, "  try: run this in a checkout of the project")
    _print_recipes(console, listed.recipes)


def _listed(directory: Path) -> ListDocument:
    stacks = {name: _settings(name, directory) for name in list_stacks(directory)}
    used = (found.serving.recipe_folder for found in stacks.values() if isinstance(found, StackSettings))
    folders = (None, *sorted({folder for folder in used if folder is not None}))
    return ListDocument(
        directory=str(directory),
        stacks=tuple(_stack(name, found, directory) for name, found in stacks.items()),
        recipes=tuple(recipe for folder in folders for recipe in _recipes(folder, directory)),
    )


def _settings(name: str, directory: Path) -> StackSettings | SettingsError:
    try:
        return load_stack(name, directory)
    except SettingsError as error:
        return error


def _stack(name: str, found: StackSettings | SettingsError, directory: Path) -> ListedStack:
    file = f"Pulumi.{name}.yaml"
    try:
        if isinstance(found, SettingsError):
            raise found
        stack = resolve(name, found, file, directory)
    except SettingsError as error:
        problem = error.texts[0]
        return ListedStack(name=name, file=file, recipe=None, gpus={}, evidence=(), problem=problem)
    used: Counter[str] = Counter()
    for placed in stack.pools:
        used[placed.pool.instance_type.accelerator.name] += placed.used_gpus
    gpus = {name: count for name, count in sorted(used.items()) if count}
    recipe = stack.serving.placed.recipe
    return ListedStack(
        name=name, file=file, recipe=recipe.name, gpus=gpus, evidence=_evidence(recipe, gpus), problem=None
    )


def _recipes(folder: str | None, directory: Path) -> Iterator[ListedRecipe]:
    place = None if folder is None else directory / folder
    for name in recipe_names(place):
        try:
            recipe = read_recipe(name, place)
        except SettingsError as error:
            yield ListedRecipe(
                name=name,
                folder=folder,
                gpus=None,
                platform_lines=(),
                validated_on=(),
                evidence=(),
                problem=error.texts[0],
            )
            continue
        accelerators = [
            accelerator.name
            for accelerator in ACCELERATORS.values()
            if accelerator.architecture_family in recipe.quantization.architecture_families
            and gpus_on_one_node(recipe) <= max(accelerator.host.gpu_counts)
        ]
        yield ListedRecipe(
            name=name,
            folder=folder,
            gpus=recipe.gpus,
            platform_lines=tuple(recipe.runtime.platform_lines),
            validated_on=tuple(recipe.validated_on),
            evidence=_evidence(recipe, accelerators),
            problem=None,
        )


def _evidence(recipe: Recipe, accelerators: Iterable[str]) -> tuple[ListedEvidence, ...]:
    return tuple(
        ListedEvidence(accelerator=name, level=evidence_on(recipe, name).level.value) for name in accelerators
    )


def _print_recipes(console: Console, recipes: Iterable[ListedRecipe]) -> None:
    by_folder: dict[str | None, list[ListedRecipe]] = {None: []}
    for recipe in recipes:
        by_folder.setdefault(recipe.folder, []).append(recipe)
    for folder, listed in by_folder.items():
        heading = "RECIPE" if folder is None else f"RECIPE OF {folder}"
        print_line(console)
        print_table(console, (heading, *_HEADERS), map(_recipe_columns, listed))


def _stack_columns(stack: ListedStack) -> tuple[str, ...]:
    if stack.problem is not None:
        return stack.name, _UNUSABLE, "", _on_one_line(stack.problem)
    gpus = ", ".join(f"{count} {name}" for name, count in stack.gpus.items())
    return stack.name, stack.recipe or "", gpus, _levels(stack.evidence)


def _recipe_columns(recipe: ListedRecipe) -> tuple[str, ...]:
    if recipe.problem is not None:
        return recipe.name, "", "", _UNUSABLE, _on_one_line(recipe.problem)
    lines = " ".join(recipe.platform_lines) or "none"
    validated = ", ".join(recipe.validated_on)
    return recipe.name, str(recipe.gpus), lines, validated, _levels(recipe.evidence)


def _levels(evidence: Iterable[ListedEvidence]) -> str:
    return ", ".join(f"{each.accelerator}: {each.level}" for each in evidence)


def _on_one_line(problem: str) -> str:
    return problem.replace("\n", "; ")
