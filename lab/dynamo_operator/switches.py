"""Known pains that a test switches on: a file of this name in the lab's folder `switches`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.directory import LabDirectory

# ai-dynamo/dynamo#12255: in the 1.2 line the pod is Ready before its webhook server listens.
WEBHOOK_NOT_READY = "webhook-not-ready"
GRAPH_NEVER_READY = "graph-never-ready"


def is_on(lab: LabDirectory, switch: str) -> bool:
    """Whether the file is there now."""
    return (lab.switches / switch).exists()
