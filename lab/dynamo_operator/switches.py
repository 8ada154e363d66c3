"""Known pains that a test switches on: a file of this name in the lab's folder `switches`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.status import Override

if TYPE_CHECKING:
    from pathlib import Path

# ai-dynamo/dynamo#12255: in the 1.2 line the pod is Ready before its webhook server listens.
WEBHOOK_NOT_READY = "webhook-not-ready"
GRAPH_NEVER_READY = "graph-never-ready"
# The real operator's own, for 1 to 4 s after every fourth update (docs/conformance.md).
GRAPH_WRITE_CONFLICT = "graph-write-conflict"
# ai-dynamo/dynamo#3567.
GRAPH_READY_TOO_EARLY = "graph-ready-too-early"


class Switches:
    """Reads the switches as they are now."""

    def __init__(self, lab_directory: Path) -> None:
        self._folder = lab_directory / "switches"

    @property
    def webhook_not_ready(self) -> bool:
        """The operator reconciles, but its webhook port does not answer."""
        return (self._folder / WEBHOOK_NOT_READY).exists()

    @property
    def override(self) -> Override:
        """What the graphs' conditions say regardless of their pods."""
        return Override(
            never_ready=(self._folder / GRAPH_NEVER_READY).exists(),
            ready_too_early=(self._folder / GRAPH_READY_TOO_EARLY).exists(),
            write_conflict=(self._folder / GRAPH_WRITE_CONFLICT).exists(),
        )
