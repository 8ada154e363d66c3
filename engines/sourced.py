"""A fact of a release together with what stands behind it."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

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
