"""A fact of a release together with what stands behind it."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar


@dataclass(frozen=True, slots=True)
class Workaround:
    """One environment variable that keeps a worker away from a known defect."""

    name: str
    value: str
    why: str
    source: str


WITHOUT_MNNVL_IN_NCCL = Workaround(
    "NCCL_MNNVL_ENABLE",
    "0",
    "NCCL finds NVLink between nodes, and stops at model load in a pod without an IMEX channel; within a "
    "node it needs none",
    "NVIDIA/nccl#1925",
)


WHEELS = "PyPI packages ai-dynamo 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.1"
RELEASE_NOTES = "ai-dynamo/dynamo release notes"
Evidence = Literal["measured", "read", "inferred"]
"""`measured`: the component was run, without a GPU. `read`: its files, packages or release pages say so.
`inferred`: neighbouring releases or their files say so, and the release itself was not looked at."""

_Value_co = TypeVar("_Value_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Sourced(Generic[_Value_co]):
    """What is known, how, and from where."""

    value: _Value_co
    evidence: Evidence
    source: str


@dataclass(frozen=True, slots=True)
class Defect:
    """What a release does wrong, and what to do about it."""

    what: str
    action: str
    """What this project does, or what a person has to do."""
    evidence: Evidence
    source: str


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
