"""Mutations of a published recipe, and every finding that each of them must produce.

Only settings and YAML are changed, never a resource graph: a case shows what a person would be told who
wrote the same line.
"""

from dataclasses import dataclass

from tests.rules.judging import FILE, GPUS, QUANTIZATION, Found


@dataclass(frozen=True)
class Mutation:
    """What is changed in the published text, and what must be found then."""

    name: str
    edits: tuple[tuple[str, str], ...]
    found: frozenset[Found]
    says: tuple[str, ...] = ()
    """Texts that the messages must contain, with their numbers."""
    instance_types: tuple[str, str] = ("p6-b200.48xlarge", "p6-b200.48xlarge")
    """Of the pools of prefill and decode."""


def undecided_engine(worker: str) -> frozenset[Found]:
    """What is found when a worker's engine settings cannot be read."""
    return frozenset({(rule, "undecided", worker) for rule in (GPUS, FILE, QUANTIZATION)})
