"""What differs between lines of Dynamo's operator and chart, as far as the stand-ins show it.

Read or recorded as docs/conformance.md says for each.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OperatorLine:
    """One line of the operator, and of the chart that installs it."""

    schemas: str
    """Line of the schemas of graphs, as fixtures/crds names it."""
    chart_has_definitions: bool
    """The chart has a crds/ folder; without one only the operator's own pod brings them."""
    has_snapshots: bool
    """It brings the definitions of pod snapshots."""
    bundles_nats: bool
    """Default of global.nats.install."""


_LINES = {
    (1, 2): OperatorLine("dynamo-1.2", True, False, True),
    (1, 4): OperatorLine("dynamo-1.4", False, True, False),
}


def operator_line(version: str) -> OperatorLine:
    """The line of a version of operator or chart, such as 1.4.2.

    Raises KeyError for a line that is not simulated.
    """
    major, minor, *_ = version.split(".")
    return _LINES[int(major), int(minor)]
