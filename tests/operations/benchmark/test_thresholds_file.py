"""Mistakes in a file of thresholds, as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from operations.benchmark.thresholds import load_thresholds
from stacks.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
thresholds:
  - shape: 128/1000
    concurrency: 3200
    atLeast: {outputTokensPerSecondPerGpu: 20000, outputTokensPerSecondPerUser: 45.5}
    atMost: {ttftP99Milliseconds: 4000, errorPercent: 0}
"""


def _refused(folder: Path, text: str) -> list[str]:
    file = folder / "limits.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        load_thresholds(file)
    return [text.removeprefix(f"{folder}/") for text in refused.value.texts]


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text(WHOLE, encoding="utf-8")
    [threshold] = load_thresholds(file).thresholds
    assert (threshold.shape, threshold.concurrency) == ("128/1000", 3200)
    assert threshold.at_least.output_tokens_per_second_per_gpu == 20000
    assert threshold.at_most.error_percent == 0


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
            _ENTRY + "{errorPercent: -1}",
            [
                "limits.yaml: thresholds[0].atMost.errorPercent = -1",
                "  out of range",
                "  allowed: 0.0 or more",
            ],
            id="below nothing",
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
            "thresholds:\n  - 128/1000",
            [
                "limits.yaml: thresholds[0] = '128/1000'",
                "  this is text",
                "  allowed: a mapping",
            ],
            id="a shape alone",
        ),
        pytest.param(
            "thresholds: {shape: 128/1000}",
            [
                "limits.yaml: thresholds = {'shape': '128/1000'}",
                "  this is a mapping",
                "  allowed: a list",
            ],
            id="no list",
        ),
        pytest.param(
            "threshold: []",
            [
                "limits.yaml: thresholds",
                "  is missing",
                "limits.yaml: threshold",
                "  there is no setting 'threshold' here",
                "  allowed: thresholds",
                "  try: thresholds",
            ],
            id="another top key",
        ),
        pytest.param(
            "thresholds: []",
            ["limits.yaml: thresholds = []", "  out of range", "  allowed: at least 1 item"],
            id="none",
        ),
        pytest.param(
            "- shape: 128/1000",
            [
                "limits.yaml = [{'shape': '128/1000'}]",
                "  this is a list",
                "  allowed: a mapping",
            ],
            id="a list",
        ),
        pytest.param(
            "thresholds: [",
            [
                "limits.yaml:2",
                "  not a file of thresholds: did not find expected node content",
            ],
            id="no YAML",
        ),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(tmp_path: Path, text: str, lines: list[str]) -> None:
    assert "\n".join(_refused(tmp_path, text)).splitlines() == lines


def test_a_threshold_that_asks_for_nothing_is_a_mistake(tmp_path: Path) -> None:
    [text] = _refused(tmp_path, "thresholds:\n  - shape: 128/1000")
    assert text.splitlines()[:2] == ["limits.yaml: thresholds[0]", "  says nothing that a run must reach"]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.yaml\n  cannot be read: No such file or directory"):
        load_thresholds(tmp_path / "none.yaml")
