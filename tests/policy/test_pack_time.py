"""How long the pack makes a preview wait."""

import time
from pathlib import Path

import pytest

from tests.policy.program import ROOT, write_shipped
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.engine, pytest.mark.slow]

STACK = "disagg-b200"
TIMED = "timed"
ALLOWED_SECONDS = 1.0
ATTEMPTS = 8


def test_the_pack_adds_at_most_a_second_to_a_preview(engine: Sandbox, tmp_path: Path) -> None:
    target = write_shipped(tmp_path / STACK, STACK)
    engine.pulumi("stack", "init", TIMED, cwd=target)
    # Taken in turn and the best of each compared: a machine that is busy for all but one of them says
    # nothing, so it goes on until both had a quiet moment.
    pairs: list[tuple[float, float]] = []
    added = float("inf")
    while added > ALLOWED_SECONDS and len(pairs) < ATTEMPTS:
        pairs.append(
            (seconds(engine, target), seconds(engine, target, "--policy-pack", str(ROOT / "policy")))
        )
        without, with_pack = map(min, zip(*pairs, strict=True))
        added = with_pack - without
    # Measured on 2 cores with 90 rules: 0.5 s, of which 0.4 s are the start of its Python process.
    assert added <= ALLOWED_SECONDS, pairs


def seconds(engine: Sandbox, target: Path, *arguments: str) -> float:
    begun = time.monotonic()
    engine.pulumi("preview", "--stack", TIMED, *arguments, cwd=target)
    return time.monotonic() - begun
