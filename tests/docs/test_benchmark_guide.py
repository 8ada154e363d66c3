"""What docs/benchmark.md shows of `dynamo-stack bench` is what there is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cli.bench_options import BenchOptions
from cli.bench_table import headers
from operations.benchmark.aiperf_here import pinned_version
from operations.benchmark.result import MOCK_NOTE
from operations.benchmark.thresholds import load_thresholds
from operations.mock_engine import ENGINE_ANNOTATION, MOCK_ENGINE
from recipes.load import load_recipe, recipe_names
from tests.cli.command import ROOT
from tests.operations.benchmark.made_results import result

if TYPE_CHECKING:
    from pathlib import Path

GUIDE = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
_NAMES = {"assert": "thresholds", "shape": "shapes", "json": "as_json"}


def test_every_option_that_the_guide_names_exists() -> None:
    named = {*re.findall(r"(?<![\w-])--[a-z][a-z-]*", GUIDE)}
    # Of `render`, which the guide compares with.
    options = {word.removeprefix("--").replace("-", "_") for word in named - {"--benchmark"}}
    known = BenchOptions.__slots__
    assert {"shape", "assert", "url", "from_here"} <= options
    assert {_NAMES.get(option, option) for option in options} - {*known} == set()


def test_the_thresholds_of_the_guide_are_read(tmp_path: Path) -> None:
    found = re.search(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    assert found is not None
    file = tmp_path / "limits.yaml"
    file.write_text(found[1], encoding="utf-8")
    assert [each.shape for each in load_thresholds(file).thresholds] == ["128/1000", "8192/1024"]


def test_the_guide_installs_the_aiperf_that_every_recipe_pins() -> None:
    pinned = {f"aiperf=={pinned_version(load_recipe(name).benchmark)}" for name in recipe_names()}
    assert {*re.findall(r"aiperf==[\d.]+\d", GUIDE)} == pinned


def test_the_output_of_the_guide_says_mock_as_the_command_does() -> None:
    assert MOCK_NOTE in GUIDE
    assert f"`{ENGINE_ANNOTATION}: {MOCK_ENGINE}`" in GUIDE
    shown = " ".join(next(line for line in GUIDE.splitlines() if line.startswith("SHAPE")).split())
    assert shown == " ".join(headers(result(engine="mock")))


def test_deadlines_of_the_guide_are_those_of_the_recipes() -> None:
    hours = [
        load_recipe(f"gpt-oss-120b/trtllm-{kind}").benchmark.deadline_seconds for kind in ("agg", "disagg")
    ]
    assert f"({hours[0] // 3600} hours aggregated, {hours[1] // 3600} disaggregated)" in GUIDE
