"""The resource options that most resources of a component have."""

from collections.abc import Sequence

import pulumi

Resources = list[pulumi.Resource]

LOG_DAYS = 90
"""How long flow logs and the control plane's are kept."""


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
