"""What stands before the end of a resource, and how long the end may take."""

from enum import Enum

# The provider's own limit is ten minutes, whatever the object (pulumi-kubernetes 4.32, Deletion in
# provider/pkg/await/await.go); past these `destroy` stops and names what holds the object.
ALONE = "60s"
"""Only the API server acts: ConfigMaps, Secrets, Services."""

WITH_PODS = "300s"
"""Its pods end first, which they may take two minutes for, on a node that answers. A graph that is deleted in
the foreground goes after them too."""

WITH_CONTENT = "600s"
"""A claim goes after the last pod that mounts it, a namespace after everything in it."""


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
