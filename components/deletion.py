"""How a resource is kept from deletion, and how long its deletion may take."""

from typing import Literal

# The provider's own limit is ten minutes, whatever the object (pulumi-kubernetes 4.32, Deletion in
# provider/pkg/await/await.go); past these `destroy` stops and names what holds the object.
ALONE = "60s"
"""Only the API server acts: ConfigMaps, Secrets, Services."""

WITH_PODS = "300s"
"""Its pods end first and may take two minutes, on a node that answers. A graph that is deleted in the
foreground goes after them too."""

WITH_CONTENT = "600s"
"""A claim goes after the last pod that mounts it, a namespace after everything in it."""


Keep = Literal["protected", "retained"]
"""Protected: the engine refuses to delete or to replace it, until a run without the protection. Retained:
protected, and left where it is when it leaves the stack."""
