"""A folder for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from operations.benchmark.recording import RESULT_FILE, make_run_folder, write_result
from operations.benchmark.result import BenchmarkResult
from operations.errors import CommandError
from tests.operations.benchmark.made_results import result

if TYPE_CHECKING:
    from pathlib import Path

STARTED = "2026-11-23T08:00:00Z"


def test_a_folder_is_named_by_time_target_and_shape(tmp_path: Path) -> None:
    folder = make_run_folder(tmp_path / "runs", STARTED, "agg-gb200", "128x1000")
    assert folder == tmp_path / "runs" / "20261123T080000Z-agg-gb200-128x1000"
    address = make_run_folder(tmp_path, STARTED, "http://127.0.0.1:8000", "128x1000")
    assert address.name == "20261123T080000Z-127-0-0-1-8000-128x1000"


def test_two_runs_of_one_second_get_a_folder_each(tmp_path: Path) -> None:
    names = [make_run_folder(tmp_path, STARTED, "dev", "9x9").name for _ in range(3)]
    assert names == [f"20261123T080000Z-dev-9x9{end}" for end in ("", "-2", "-3")]


def test_a_results_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match=r"file: no folder for the results can be made: File exists"):
        make_run_folder(tmp_path / "file", STARTED, "dev", "9x9")


def test_what_a_run_wrote_is_read_as_it_was(tmp_path: Path) -> None:
    folder = make_run_folder(tmp_path, STARTED, "dev", "9x9")
    written = result(reason="Ctrl-C", outcome="interrupted")
    write_result(folder, written)
    kept = (folder / RESULT_FILE).read_bytes()
    assert BenchmarkResult.model_validate_json(kept) == written
    assert [file.name for file in folder.iterdir()] == [RESULT_FILE]


def test_keys_of_the_file_are_camel_case_and_carry_their_unit(tmp_path: Path) -> None:
    text = write_result(tmp_path, result()).read_text(encoding="utf-8")
    assert '"schemaVersion": 1' in text
    assert '"outputTokensPerSecondPerGpu": 1000.0' in text
