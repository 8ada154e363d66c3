"""`dynamo-stack list`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from cli.output import print_result, print_table, say
from cli.stack_argument import AsJson
from operations.document import Document
from recipes.fitting import usable_accelerators
from recipes.load import recipe_names
from recipes.model import Recipe
from stacks.errors import SettingsError
from stacks.plan.recipe_files import read_recipe
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan
from stacks.served_runs import evidence_on
from stacks.settings.load import load_stack
from stacks.stack_files import list_stacks, stack_directory

_HEADERS = ("GPUS", "PLATFORM", "VALIDATED UPSTREAM ON", "EVIDENCE")
_UNUSABLE = "cannot be used"


class ListedEvidence(Document):
    """How far a recipe has been tried on one kind of GPU."""

    accelerator: str
    """Kind of GPU, such as B200."""
    level: str
    """One of: rendered, admitted, scheduled (simulated), mock-served, measured on GPU."""


class ListedStack(Document):
    """One stack file."""

    name: str
    file: str
    """Name of the file, beside the others."""
    recipe: str | None
    """Null where the stack cannot be used."""
    gpus: Mapping[str, int]
    """Kind of GPU -> how many its workers use; empty where the stack cannot be used."""
    evidence: tuple[ListedEvidence, ...]
    problem: str | None
    """First reason why the stack cannot be used; null where it can."""


class ListedRecipe(Document):
    """One recipe that a stack can name."""

    name: str
    folder: str | None
    """Folder of one's own recipes, as a stack file names it; null for the catalogue."""
    gpus: int | None
    """GPUs of all its workers as published; null where the recipe cannot be used."""
    platform_lines: tuple[str, ...]
    """Release lines of the Dynamo platform that it runs on; empty where it is served without Dynamo."""
    validated_on: tuple[str, ...]
    """Kinds of GPU that its publisher has run it on."""
    evidence: tuple[ListedEvidence, ...]
    problem: str | None
    """First reason why the recipe cannot be used; null where it can."""


class ListDocument(Document):
    """The stacks of the folder, and the recipes that a stack can name."""

    directory: str
    """Folder whose stack files are listed."""
    stacks: tuple[ListedStack, ...]
    recipes: tuple[ListedRecipe, ...]


def list_stacks_and_recipes(*, as_json: AsJson = False) -> None:
    """Print the tables; a stack or recipe that cannot be used is listed with the reason."""
    listed = _listed(stack_directory(Path.cwd()))
    print_result("list", listed, _print, as_json=as_json)


def _print(listed: ListDocument) -> None:
    if listed.stacks:
        rows = map(_stack_columns, listed.stacks)
        print_table(("STACK", "RECIPE", "GPUS", "EVIDENCE"), rows)
    else:
        say(f"no stacks: there is no Pulumi.STACK.yaml in {listed.directory}, nor a project above it")
        say("  try: run this in a checkout of the project")
    _print_recipes(listed.recipes)


def _listed(directory: Path) -> ListDocument:
    stacks: list[ListedStack] = []
    folders: set[str] = set()
    for name in list_stacks(directory):
        file = f"Pulumi.{name}.yaml"
        try:
            settings = load_stack(name, directory)
            if settings.serving.recipe_folder is not None:
                folders.add(settings.serving.recipe_folder)
            stacks.append(_stack(resolve(name, settings, file, directory), file))
        except SettingsError as error:
            stacks.append(
                ListedStack(name=name, file=file, recipe=None, gpus={}, evidence=(), problem=error.texts[0])
            )
    recipes = tuple(recipe for folder in (None, *sorted(folders)) for recipe in _recipes(folder, directory))
    return ListDocument(directory=str(directory), stacks=tuple(stacks), recipes=recipes)


def _stack(stack: StackPlan, file: str) -> ListedStack:
    used: Counter[str] = Counter()
    for placed in stack.pools:
        used[placed.pool.instance_type.accelerator.name] += placed.used_gpus
    gpus = {name: count for name, count in sorted(used.items()) if count}
    recipe = stack.serving.placed.recipe
    evidence = _evidence(recipe, gpus)
    return ListedStack(
        name=stack.name, file=file, recipe=recipe.name, gpus=gpus, evidence=evidence, problem=None
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
        yield ListedRecipe(
            name=name,
            folder=folder,
            gpus=recipe.gpus,
            platform_lines=tuple(recipe.runtime.platform_lines),
            validated_on=tuple(recipe.validated_on),
            evidence=_evidence(recipe, usable_accelerators(recipe)),
            problem=None,
        )


def _evidence(recipe: Recipe, accelerators: Iterable[str]) -> tuple[ListedEvidence, ...]:
    return tuple(
        ListedEvidence(accelerator=name, level=evidence_on(recipe, name).level.value) for name in accelerators
    )


def _print_recipes(recipes: Iterable[ListedRecipe]) -> None:
    by_folder: dict[str | None, list[ListedRecipe]] = {None: []}
    for recipe in recipes:
        by_folder.setdefault(recipe.folder, []).append(recipe)
    for folder, listed in by_folder.items():
        heading = "RECIPE" if folder is None else f"RECIPE OF {folder}"
        say()
        print_table((heading, *_HEADERS), map(_recipe_columns, listed))


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
