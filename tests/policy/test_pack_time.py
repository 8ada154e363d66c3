"""How long the pack makes a preview wait."""

import time
from pathlib import Path

import pytest

from tests.policy.program import ROOT, write_shipped
from tests.support.measured import record
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.engine, pytest.mark.measured]

STACK = "disagg-b200-tcp"
TIMED = "timed"


def test_the_time_of_a_preview_with_the_pack_is_recorded(engine: Sandbox, tmp_path: Path) -> None:
    target = write_shipped(tmp_path / STACK, STACK)
    engine.pulumi("stack", "init", TIMED, cwd=target)
    without = seconds(engine, target)
    with_pack = seconds(engine, target, "--policy-pack", str(ROOT / "policy"))
    # More than half of what it takes longer is the start of its Python process.
    record("rules", f"preview of {STACK} with the policy pack", with_pack, f"without: {without:.1f} s")


def seconds(engine: Sandbox, target: Path, *arguments: str) -> float:
    begun = time.monotonic()
    engine.pulumi("preview", "--stack", TIMED, *arguments, cwd=target)
    return time.monotonic() - begun
