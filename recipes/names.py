"""The names of recipes, which are their files' paths; reads no file."""

from pathlib import Path

CATALOGUE = Path(__file__).parent / "catalogue"


def recipe_names(folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of the recipes in a folder, sorted; None: of the catalogue."""
    root = folder or CATALOGUE
    # Of the catalogue `<model>/<variant>`; who has a few recipes of one model needs no folder for each.
    files = (*root.glob("*.yaml"), *root.glob("*/*.yaml"))
    return tuple(sorted(file.relative_to(root).with_suffix("").as_posix() for file in files))
