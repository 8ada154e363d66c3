"""`dynamo-stack render`."""

from pathlib import Path

import typer

from cli.project import recorded_stack, resolved_stack
from cli.rendered import MARK, RenderedDocument, render_graph
from stacks.errors import Problem, SettingsError


def render(name: str, directory: Path | None) -> None:
    """Print the documents, or write one file each into the directory."""
    documents = render_graph(recorded_stack(resolved_stack(name)))
    if directory is None:
        typer.echo("---\n".join(document.text for document in documents), nl=False)
        return
    try:
        _write(documents, directory)
    except OSError as error:
        problem = Problem(str(directory), "", None, f"cannot be written: {error.strerror}")
        raise SettingsError([problem]) from error
    typer.echo(f"{len(documents)} files in {directory}")


def _write(documents: list[RenderedDocument], directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    files = {f"{number:02}-{document.name}.yaml": document for number, document in enumerate(documents, 1)}
    for stale in sorted(directory.glob("*.yaml")):
        # An object that left the stack must not be applied again; files of other people stay.
        if stale.name not in files and stale.read_bytes().startswith(MARK.encode()):
            stale.unlink()
    for file_name, document in files.items():
        (directory / file_name).write_text(f"{MARK}\n{document.text}", encoding="utf-8")
