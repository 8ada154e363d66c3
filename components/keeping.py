"""What happens to a resource that holds data when somebody deletes it, or it leaves the stack."""

from enum import Enum


class Keep(Enum):
    """How much stands between a resource and its end."""

    NOTHING = "nothing"
    PROTECTED = "protected"
    """The engine refuses to delete or to replace it, until a run without the protection."""
    RETAINED = "retained"
    """Protected, and left where it is when it leaves the stack."""

    @property
    def protects(self) -> bool:
        """The resource option protect."""
        return self is not Keep.NOTHING

    @property
    def retains(self) -> bool:
        """The resource option retainOnDelete."""
        return self is Keep.RETAINED
