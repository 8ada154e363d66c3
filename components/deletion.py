"""How long the deletion of an object may take."""

# The provider's own limit is ten minutes, whatever the object (pulumi-kubernetes 4.32, Deletion in
# provider/pkg/await/await.go); past these `destroy` stops and names what holds the object.
ALONE = "60s"
"""Only the API server acts: ConfigMaps, Secrets, Services."""

WITH_PODS = "300s"
"""Its pods end first and may take two minutes, on a node that answers. A graph that is deleted in the
foreground goes after them too."""

WITH_CONTENT = "600s"
"""A claim goes after the last pod that mounts it, a namespace after everything in it."""
