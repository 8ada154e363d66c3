"""What regressed, by how much; thresholds that nothing would be held against; mistakes in their file."""

from pathlib import Path
from typing import Any

import pytest

from operations.benchmark.thresholds import Thresholds, load_thresholds, regressions
from resource_graph.input_text import InputError
from stacks.errors import SettingsError
from tests.operations.benchmark.made_results import measurement, percentiles


def _thresholds(*entries: dict[str, Any]) -> Thresholds:
    # The tuple stands for the list of the file.
    return Thresholds.model_validate({"thresholds": entries})


@pytest.mark.parametrize(
    ("limits", "measured", "said"),
    [
        pytest.param(
            {"atLeast": {"outputTokensPerSecondPerGpu": 20000.0}},
            {"output_tokens_per_second_per_gpu": 18200.0},
            ["outputTokensPerSecondPerGpu is 18,200, at least 20,000 is asked for: 9.0 % less"],
            id="below",
        ),
        pytest.param(
            {"atMost": {"ttftP99Milliseconds": 200.0}},
            {"ttft_milliseconds": percentiles(62.5)},
            ["ttftP99Milliseconds is 250, at most 200 is asked for: 25.0 % more"],
            id="above",
        ),
        pytest.param(
            {"atLeast": {"outputTokensPerSecond": 4000.0}, "atMost": {"itlP50Milliseconds": 5.0}},
            {},
            [],
            id="on it",
        ),
        pytest.param({"atMost": {"errorPercent": 0.0}}, {}, [], id="no error where none is allowed"),
        pytest.param(
            {"atMost": {"errorPercent": 0.0}},
            {"requests": 30, "errors": 10},
            ["errorPercent is 25, at most 0 is asked for: 25 more"],
            id="errors where none is allowed",
        ),
    ],
)
def test_a_figure_beyond_its_threshold_is_named_with_its_distance(
    limits: dict[str, Any], measured: dict[str, Any], said: list[str]
) -> None:
    found = regressions(_thresholds({"shape": "128/1000", **limits}), [measurement(**measured)])
    assert found == [f"128/1000 at 4: {each}" for each in said]


def test_a_threshold_of_one_concurrency_leaves_the_others_alone() -> None:
    limit = {"atLeast": {"requestsPerSecond": 9.0}}
    both = (measurement(), measurement(concurrency=16))
    assert len(regressions(_thresholds({"shape": "128/1000", **limit}), both)) == 2
    [only] = regressions(_thresholds({"shape": "128/1000", "concurrency": 16, **limit}), both)
    assert only.startswith("128/1000 at 16: ")
    assert regressions(_thresholds({"shape": "8192/1024", **limit}), both) == []


_ENTRY = "thresholds:\n  - shape: 128/1000\n    atMost: "


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(
            _ENTRY + "{ttftP99Miliseconds: 5}",
            [
                "limits.yaml: thresholds[0].atMost.ttftP99Miliseconds = 5",
                "  there is no setting 'ttftP99Miliseconds' here",
                "  allowed: ttftP50Milliseconds, ttftP90Milliseconds, ttftP99Milliseconds, "
                "itlP50Milliseconds, itlP90Milliseconds, itlP99Milliseconds, "
                "requestP99Milliseconds, errorPercent",
                "  try: ttftP99Milliseconds",
            ],
            id="a key that does not exist",
        ),
        pytest.param(
            _ENTRY + "{errorPercent: few}",
            [
                "limits.yaml: thresholds[0].atMost.errorPercent = 'few'",
                "  this is text",
                "  allowed: a number",
            ],
            id="a word for a number",
        ),
        pytest.param(
            "thresholds:\n  - shape: 128x1000\n    atMost: {errorPercent: 0}",
            [
                "limits.yaml: thresholds[0].shape = '128x1000'",
                "  not written as this setting has to be",
                "  allowed: tokens of prompt and answer, such as 8192/1024",
            ],
            id="a shape that is none",
        ),
        pytest.param(
            "thresholds:\n  - atMost: {errorPercent: 0}",
            [
                "limits.yaml: thresholds[0].shape",
                "  is missing",
                "  allowed: tokens of prompt and answer, such as 8192/1024",
            ],
            id="no shape",
        ),
        pytest.param(
            "threshold: []",
            [
                "limits.yaml: thresholds",
                "  is missing",
                "  allowed: a list: a mapping",
                "limits.yaml: threshold",
                "  there is no setting 'threshold' here",
                "  allowed: thresholds",
                "  try: thresholds",
            ],
            id="another top key",
        ),
        pytest.param(
            "thresholds: []",
            ["limits.yaml: thresholds = []", "  out of range", "  allowed: at least 1"],
            id="none",
        ),
        pytest.param(
            "thresholds: [",
            [
                "limits.yaml:1",
                "  not a file of thresholds: did not find expected node content",
            ],
            id="no YAML",
        ),
        pytest.param(
            "thresholds:\n  - shape: 128/1000",
            ["limits.yaml: thresholds[0]", "  says nothing that a run must reach"],
            id="asks for nothing",
        ),
    ],
)
def test_a_mistake_in_the_file_is_named_with_what_is_allowed(
    tmp_path: Path, text: str, lines: list[str]
) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        load_thresholds(file)
    found = "\n".join(each.removeprefix(f"{tmp_path}/") for each in refused.value.texts)
    assert found.splitlines()[: len(lines)] == lines


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: cannot be read: No such file or directory"):
        load_thresholds(tmp_path / "none.yaml")
