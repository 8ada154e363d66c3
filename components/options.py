"""The resource options that most resources of a component have, and how long a deletion may take."""

from collections.abc import Sequence

import pulumi

Resources = list[pulumi.Resource]

LOG_DAYS = 90
"""How long flow logs and the control plane's are kept."""

# The provider's own limit is ten minutes, whatever the object (pulumi-kubernetes 4.32, Deletion in
# provider/pkg/await/await.go); past these `destroy` stops and names what holds the object.
ALONE = "60s"
"""Only the API server acts: ConfigMaps, Secrets, Services."""

WITH_PODS = "300s"
"""Its pods end first and may take two minutes, on a node that answers. A graph that is deleted in the
foreground goes after them too."""

WITH_CONTENT = "600s"
"""A claim goes after the last pod that mounts it, a namespace after everything in it."""


def limits(timeout: str | int | None, delete: str | None = None) -> pulumi.CustomTimeouts:
    """Return how long each operation may take, in seconds or with a unit, and how long a deletion."""
    waits = f"{timeout}s" if isinstance(timeout, int) else timeout
    return pulumi.CustomTimeouts(create=waits, update=waits, delete=delete or waits)


def child(
    parent: pulumi.Resource,
    depends_on: Sequence[pulumi.Resource] | None = None,
    *,
    timeout: str | int | None = None,
    delete: str | None = None,
    protect: bool | None = None,
) -> pulumi.ResourceOptions:
    """Return the options of what a component registers, with its `limits`."""
    return pulumi.ResourceOptions(
        parent=parent,
        depends_on=depends_on,
        protect=protect,
        custom_timeouts=limits(timeout, delete) if timeout or delete else None,
    )
