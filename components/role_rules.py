"""What an organization asks of every role in its account, as plain data."""

from dataclasses import dataclass

NO_PATH = "/"
"""Path of a role that has none."""


@dataclass(frozen=True, slots=True)
class RoleRules:
    """What all roles of a stack have in common."""

    path: str = NO_PATH
    """Begins and ends with a slash."""
    permissions_boundary: str | None = None
    """ARN of a policy that limits what a role may do, whatever else is attached to it."""
