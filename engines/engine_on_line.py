"""One engine in the images of one line of Dynamo's runtime."""

from dataclasses import dataclass

from engines.sourced import Defect, Sourced

WHEELS = "PyPI packages ai-dynamo 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.1"
RELEASE_NOTES = "ai-dynamo/dynamo release notes"


@dataclass(frozen=True, slots=True)
class EngineOnLine:
    """Which release of the engine the images carry, and what is otherwise than on the line before."""

    release: str
    """Support matrix of the line and Requires-Dist of its wheel."""
    registers_as: str
    """Name under which an aggregated or decode worker registers: args.py of the command's package."""
    option_changes: tuple[Sourced[str], ...] = ()
    """What of the worker's command line is otherwise, a sentence each."""
    defects: tuple[Defect, ...] = ()
