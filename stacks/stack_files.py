"""Where stack files lie, and the names of their stacks; reads no file."""

from pathlib import Path

PREFIX, SUFFIX = "Pulumi.", ".yaml"
PROJECT_FILE = "Pulumi.yaml"


def stack_directory(start: Path) -> Path:
    """Return where the stack files are: here if there are any, else beside the nearest Pulumi.yaml above."""
    return start if any(start.glob(f"{PREFIX}*{SUFFIX}")) else project_above(start) or start


def project_above(start: Path) -> Path | None:
    """Return the nearest folder with a Pulumi project, this one or above; None where there is none."""
    return next((each for each in (start, *start.parents) if (each / PROJECT_FILE).is_file()), None)


def list_stacks(directory: Path) -> list[str]:
    """Return the names of the stacks that have a file in the directory, sorted."""
    files = directory.glob(f"{PREFIX}?*{SUFFIX}")
    return sorted(file.name.removeprefix(PREFIX).removesuffix(SUFFIX) for file in files)
