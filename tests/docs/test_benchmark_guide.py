"""What docs/benchmark.md shows of `dynamo-stack bench` is what there is."""

import re
from pathlib import Path

import yaml

from cli.bench_table import headers
from operations.benchmark.result import MOCK_NOTE
from operations.benchmark.shapes import PUBLISHED_SHAPES
from operations.benchmark.thresholds import AtLeast, AtMost, Threshold, load_thresholds
from operations.smoke.graph_pods import ENGINE_ANNOTATION, MOCK_ENGINE
from recipes.benchmark import AIPERF_VERSION
from recipes.load import load_recipe
from tests.docs.guide import text_of, yaml_blocks
from tests.operations.benchmark.made_results import result

PAGE = "docs/benchmark.md"
GUIDE = text_of(PAGE)


def test_the_thresholds_of_the_guide_are_read(tmp_path: Path) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text(yaml.safe_dump(yaml_blocks(PAGE)[0]), encoding="utf-8")
    assert [each.shape for each in load_thresholds(file).thresholds] == ["128/1000", "8192/1024"]


def test_the_guide_installs_the_aiperf_and_names_the_deadlines_of_the_recipes() -> None:
    assert {*re.findall(r"aiperf==[\d.]+\d", GUIDE)} == {f"aiperf=={AIPERF_VERSION}"}
    aggregated, disaggregated = (
        load_recipe(f"gpt-oss-120b/trtllm-{kind}").benchmark.deadline_seconds // 3600
        for kind in ("agg", "disagg")
    )
    assert f"({aggregated} hours aggregated, {disaggregated} disaggregated)" in GUIDE


def test_the_output_of_the_guide_says_mock_as_the_command_does() -> None:
    assert MOCK_NOTE in GUIDE
    assert f"`{ENGINE_ANNOTATION}: {MOCK_ENGINE}`" in GUIDE
    shown = " ".join(next(line for line in GUIDE.splitlines() if line.startswith("SHAPE")).split())
    assert shown == " ".join(headers(result(engine="mock")))


def test_the_page_of_the_files_names_every_shape_and_every_key_of_a_threshold() -> None:
    page = text_of("docs/benchmark-files.md")
    keys = {
        name for model in (Threshold, AtLeast, AtMost) for name in model.model_json_schema()["properties"]
    }
    assert [each for each in (*map(str, PUBLISHED_SHAPES), *sorted(keys)) if each not in page] == []
