"""Words that Kubernetes, engines and the runtime use for a known fault."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from operations.doctor.finding import Stage


@dataclass(frozen=True, slots=True)
class Signature:
    """One fault, as it is known by its words."""

    sign: re.Pattern[str]
    stage: Stage
    means: str
    """What it means, as the end of a sentence about a pod."""
    fix: str
    setting: str
    page: str
    """The page of docs/runbook, without its ending."""


def signature_of(text: str) -> Signature | None:
    """Return the fault whose words are in the text; None where nobody knows them."""
    return next((each for each in signatures() if each.sign.search(text)), None)


def last_signed(lines: Iterable[str], above: Stage) -> tuple[Signature, str] | None:
    """Return the last line of a log with the words of a fault of this stage or a later one, and the fault.

    A pod that is Ready has left the stages before behind, whatever its log says of them.
    """
    for line in reversed(list(lines)):
        if (found := signature_of(line)) and found.stage >= above:
            return found, " ".join(line.split())
    return None


@cache
def signatures() -> tuple[Signature, ...]:
    """Return all of them, in the order in which they are tried (signatures.yaml)."""
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return tuple(map(_signature, yaml.safe_load(text)))


def _signature(row: dict[str, Any]) -> Signature:
    sign, stage = re.compile(row["sign"]), Stage[row["stage"].upper()]
    return Signature(sign, stage, row["means"], row["fix"], row["setting"], row["page"])
