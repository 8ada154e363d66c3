"""The page of a stack as plain data: everything that the templates show, ready to be shown."""

from dataclasses import dataclass
from typing import Literal

from explain.explanation.order import Step
from explain.explanation.section import Section
from explain.machines import PoolDrawing
from explain.memory import WorkerMemory
from rules.model import Report

Tone = Literal["stop", "warn", "wait", "good"]
"""stop: `up` ends before anything is made. warn: it may not serve. wait: nothing is made yet."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The one sentence that a reader takes home, and what else is to be known."""

    tone: Tone
    headline: str
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headers; the first cell of a row names it."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ServingPart:
    """What is said of the graph; another stack may own it."""

    services: Table
    kv_path: tuple[str, ...]
    memory: tuple[WorkerMemory, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One stack."""

    stack: str
    subtitle: str
    verdict: Headline
    overview: tuple[Section, ...]
    """The one screen of `explain`."""
    pools: tuple[PoolDrawing, ...]
    elsewhere: tuple[str, ...]
    """Where the pods without GPUs run, a sentence each."""
    serving: ServingPart | None
    cost: Table | None
    prices: tuple[str, ...]
    decisions: Table
    settings: tuple[Section, ...]
    steps: tuple[Step, ...]
    """Resources in the order of creation."""
    report: Report
    rules: int
    """How many rules judged."""
