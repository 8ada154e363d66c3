"""`dynamo-stack render`."""

import os
from pathlib import Path

import typer

from cli.helm_release import HelmStyle
from cli.output import say
from cli.rendered import MARK, RenderedDocument, render_graph
from cli.yaml_text import as_comment, to_yaml
from operations.project import recorded_stack, resolved_stack
from recipes.benchmark_job import benchmark_job
from stacks.errors import Problem, SettingsError


def render(name: str, directory: Path | None, helm: HelmStyle) -> None:
    """Print the documents, or write one file each into the directory."""
    documents = render_graph(recorded_stack(resolved_stack(name)), helm)
    if directory is None:
        typer.echo("---\n".join(document.text for document in documents), nl=False)
        return
    try:
        _write(documents, directory)
    except OSError as error:
        problem = Problem("", None, f"cannot be written: {error.strerror}")
        raise SettingsError({str(directory): [problem]}) from error
    say(f"{len(documents)} files in {directory}")


def render_benchmark(name: str) -> None:
    """Print the Job that measures the stack with the recipe's own benchmark."""
    stack = resolved_stack(name)
    placed = stack.serving.placed
    job = benchmark_job(
        placed.recipe,
        graph_name=placed.graph_name,
        namespace=placed.namespace,
        claim_name=placed.cache_claim_name,
        image_mirrors=placed.image_mirrors,
        cache_nodes=placed.cache_nodes,
    )
    heading = (
        f"The benchmark of {placed.recipe.name} for {stack.name}: a run, not part of the stack.\n"
        f"It loads {placed.graph_name} as hard as the publisher does; apply it when nobody else is served.\n"
        "Delete the Job before the next run: its results stay on the model cache, a folder each."
    )
    typer.echo(as_comment(heading) + to_yaml(job), nl=False)


def _write(documents: list[RenderedDocument], directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    files = {
        directory / f"{number:02}-{document.name}.yaml": document
        for number, document in enumerate(documents, 1)
    }
    foreign = [file for file in files if os.path.lexists(file) and not _is_own(file)]
    if foreign:
        raise SettingsError({str(file): [_not_ours(file)] for file in foreign})
    for stale in sorted(directory.glob("*.yaml")):
        # An object that left the stack must not be applied again; files of other people stay.
        if stale not in files and _is_own(stale):
            stale.unlink()
    for file, document in files.items():
        file.write_text(f"{MARK}\n{document.text}", encoding="utf-8")


def _is_own(file: Path) -> bool:
    # Written through a link, the document would land in another folder.
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as content:
        return content.read(len(MARK)) == MARK.encode()


def _not_ours(file: Path) -> Problem:
    found = "a link that leads elsewhere" if file.is_symlink() else "not what `dynamo-stack render` wrote"
    message = f"is {found}, so nothing was written"
    return Problem("", None, message, suggestion="move it, or name another folder")
