"""docs/smoke.md names the checks, verdicts and limits that there are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardware import FIRST_TOKEN_SECONDS_WITHOUT_RDMA, TCP_FIRST_TOKEN_SECONDS
from operations.document import Verdict
from operations.mock_engine import ENGINE_ANNOTATION, MOCK_ENGINE
from operations.smoke.checks import CHECKS
from tests.cli.command import ROOT, squeezed

if TYPE_CHECKING:
    from tests.cli.command import Command

GUIDE = (ROOT / "docs" / "smoke.md").read_text(encoding="utf-8")
REGISTERED = ["frontend", "workers", "model"]


def test_the_guide_lists_every_check_in_its_order() -> None:
    table = GUIDE.partition("## What is asked")[2].partition("\nOf a stack, a worker")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == [
        *REGISTERED,
        *(check.name for check in CHECKS),
    ]


def test_the_guide_lists_every_verdict_of_the_json() -> None:
    line = squeezed(GUIDE).partition("A verdict is ")[2].partition(". ")[0]
    assert set(re.findall(r"`([a-z-]+)`", line)) == {verdict.value for verdict in Verdict}


def test_the_guide_names_the_limits_the_annotation_and_the_defaults(command: Command) -> None:
    text = squeezed(GUIDE)
    assert f"Over {FIRST_TOKEN_SECONDS_WITHOUT_RDMA:g} s NVIDIA's guide sees no RDMA" in text
    assert f"the {TCP_FIRST_TOKEN_SECONDS:g} s that the guide gives for TCP" in text
    assert f"`{ENGINE_ANNOTATION}: {MOCK_ENGINE}`" in text
    printed = squeezed(command("smoke", "--help").out)
    for option, default in re.findall(r"`(--[a-z]+)` \((\d+) s\)", GUIDE):
        assert option in printed
        assert f"[default: {default}.0]" in printed
