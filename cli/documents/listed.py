"""`dynamo-stack list --json`."""

from collections.abc import Mapping

from operations.document import Document


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
