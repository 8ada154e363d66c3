"""Writes the recipe that was read, and prints what became of the rest."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from cli.output import make_console, print_line, print_table
from cli.recipe_folders import folder_to_write
from cli.recipe_import.findings import Finding, Kind
from cli.recipe_import.recipe import Imported, import_graph
from cli.recipe_new import new_file, say_what_next, write_new
from recipes.files import written_recipe
from resource_graph.input_text import input_name
from resource_graph.manifests import read_manifests

_WIDEST = {"PLACE": 58, "PUBLISHED": 36}
_HEADERS = ("", "PLACE", "PUBLISHED", "HERE", "WHY")
_MEANINGS = {
    Kind.LEFT_OUT: "not in the recipe, and not rendered of it",
    Kind.KEPT: "as published in the recipe; HERE is what the catalogue's corrected recipe has",
    Kind.OTHERWISE: "rendered so of every recipe; recorded among its corrections",
    Kind.ASSUMED: "not in a graph; change it in the recipe",
}


def import_files(paths: Sequence[Path], name: str | None, typed: Path | None) -> None:
    """Write the recipe of the one graph in the files; nothing is overwritten."""
    shown = ", ".join(input_name(path) for path in paths)
    folder = folder_to_write(typed)
    imported = import_graph(read_manifests(paths), shown, name)
    file = new_file(imported.recipe.name, folder)
    write_new(file, written_recipe(imported.document, file, tuple(_comments(imported, shown))))
    console = make_console()
    print_table(console, _HEADERS, _rows(imported.findings), _WIDEST)
    print_line(console)
    kinds = {finding.kind for finding in imported.findings}
    for kind, meaning in _MEANINGS.items():
        if kind in kinds:
            print_line(console, f"{kind.value}: {meaning}")
    print_line(console, f"WHY: a correction of {imported.nearest.name}, which says more in docs/recipes/")
    print_line(console)
    print_line(console, f"{file}: written")
    say_what_next(imported.recipe.name, file)


def _rows(findings: Sequence[Finding]) -> Iterator[tuple[str, ...]]:
    for kind in _MEANINGS:
        alike: dict[tuple[str, ...], list[str]] = {}
        for finding in findings:
            if finding.kind is kind:
                service, separator, field = finding.place.rpartition(": ")
                why = finding.correction.id if finding.correction else ""
                key = (separator + field, finding.found, finding.here, why)
                alike.setdefault(key, []).append(service)
        for (field, found, here, why), services in alike.items():
            yield kind.value, f"{', '.join(services)}{field}", found, here, why


def _comments(imported: Imported, shown: str) -> Iterator[str]:
    yield f"Read from {shown} by `dynamo-stack recipes import`."
    for kind, place, found, here, why in _rows(imported.findings):
        if kind in {Kind.LEFT_OUT.value, Kind.KEPT.value}:
            value = f" {found}" if found else ""
            reason = f"{why} of {imported.nearest.name}: {here}" if why else here
            yield f"{kind}: {place}{value} ({reason})"
