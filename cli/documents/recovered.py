"""`dynamo-stack recover --json`."""

from operations.document import Document


class RecoverStep(Document):
    """One command of a recovery."""

    says: str
    """What it is for."""
    command: str
    """The command as it would be typed."""


class RecoverDocument(Document):
    """What an interrupted run left, and what would clear it; nothing of it is run."""

    stack: str
    interrupted: bool
    """Whether there is anything to recover."""
    found: tuple[str, ...]
    """Leftovers, as sentences."""
    steps: tuple[RecoverStep, ...]
    """Commands that `recover` would run, in their order."""
    left: tuple[str, ...]
    """Objects that are not touched, because they may hold data, or were not made by Pulumi."""
    operator_answers: bool
    """Whether graphs can be changed: false while the Dynamo operator is away."""
