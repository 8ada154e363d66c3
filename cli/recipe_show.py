"""`dynamo-stack recipes show`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from cli.output import Row, make_console, print_line, print_sections, print_table
from cli.recipe_folders import FolderOption, find_recipe, searched_folders
from cli.stack_argument import complete_recipe
from engines.runtime_lines import RUNTIME_LINES
from hardware import ACCELERATORS
from recipes.document import document_path
from recipes.load import recipe_file
from recipes.merging import dotted_options
from recipes.model import Recipe
from stacks.plan.recipe_files import shown_file
from stacks.served_runs import evidence_on

_WIDTH = 120


def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE", help="As `dynamo-stack list` prints it.", autocompletion=complete_recipe
        ),
    ],
    folder: FolderOption = None,
    as_yaml: Annotated[bool, typer.Option("--yaml", help="Print its file.")] = False,
) -> None:
    """Print a recipe, or its file."""
    recipe, found = find_recipe(name, searched_folders(folder))
    file = recipe_file(name, found)
    if as_yaml:
        print(file.read_text(encoding="utf-8"), end="")
        return
    console = make_console(_WIDTH)
    print_sections(console, _facts(recipe, file))
    print_line(console)
    headers = ("SERVICE", "ROLE", "REPLICAS", "GPUS", "ARGUMENTS AND VARIABLES")
    print_table(console, headers, _services(recipe))
    print_line(console)
    roles = [worker.role.upper() for worker in recipe.workers]
    print_table(console, ("ENGINE OPTION", *roles), _options(recipe))
    print_line(console)
    print_table(console, ("GPU", "VALIDATED UPSTREAM", "EVIDENCE"), _evidence(recipe))


def _facts(recipe: Recipe, file: Path) -> Iterator[Row]:
    model, runtime, traffic = recipe.model, recipe.runtime, recipe.traffic
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
    known = line in RUNTIME_LINES or line == recipe.runtime.published_line
    return recipe.runtime.version_on(line) if known else recipe.runtime.other_versions.get(line, "unknown")


def _corrections(recipe: Recipe, file: Path) -> str:
    if not recipe.corrections:
        return "none recorded"
    page = document_path(recipe)
    where = page.relative_to(page.parents[2]) if page.is_file() else shown_file(file)
    return f"{len(recipe.corrections)} published values stand otherwise here: {where}"


def _services(recipe: Recipe) -> Iterator[tuple[str, ...]]:
    for service in recipe.services:
        variables = (f"{name}={value}" for name, value in service.environment.items())
        given = " ".join((*service.arguments, *variables))
        yield service.service_name, service.role, str(service.replicas), str(service.gpus), given


def _options(recipe: Recipe) -> Iterator[tuple[str, ...]]:
    workers = (worker.engine.model_dump(exclude_unset=True) for worker in recipe.workers if worker.engine)
    by_worker = [dict(dotted_options(options)) for options in workers]
    for option in sorted({option for options in by_worker for option in options}):
        yield option, *(_shown(options[option]) if option in options else "" for options in by_worker)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _evidence(recipe: Recipe) -> Iterator[tuple[str, str, str]]:
    for accelerator in ACCELERATORS.values():
        if accelerator.architecture_family in recipe.quantization.architecture_families:
            found = evidence_on(recipe, accelerator.name)
            validated = "yes" if accelerator.name in recipe.validated_on else "no"
            yield accelerator.name, validated, f"{found.level.value}: {found.reason}"
