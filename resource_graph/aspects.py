"""What an origin of resources may leave untold."""

from enum import Enum


class Aspect(Enum):
    """A part of what the engine knows of a resource, which not every origin hands on.

    A rule that reads one is not evaluated where the origin is silent: a manifest without edges is neither
    in the right order nor in a wrong one.
    """

    EDGES = "the order of resources"
    PROTECTION = "protection and timeouts"
    RETENTION = "what stays when the stack is destroyed"
    SECRETS = "which inputs are secret"


DOCUMENTS_LACK = frozenset(Aspect)
"""A Kubernetes document says what an object is, and nothing of how an engine would treat it."""
POLICY_HOST_LACKS = frozenset({Aspect.RETENTION, Aspect.SECRETS})
