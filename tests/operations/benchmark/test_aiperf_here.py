"""Programs that are read while they run and never outlive their reader; AIPerf on this machine is one."""

import os
import signal
import time
from pathlib import Path

import pytest

from operations import streamed_process
from operations.benchmark.aiperf import installed_aiperf, measure
from operations.errors import CommandError
from operations.port_forward import PortForward
from operations.streamed_process import streamed
from recipes.benchmark import Endpoint, Load
from recipes.load import load_recipe
from tests.operations.benchmark.made_results import RECORDED, fake_aiperf
from tests.operations.fake_cluster import FakeCluster

BENCHMARK = load_recipe("gpt-oss-120b/trtllm-agg").benchmark
LOAD, ENDPOINT = Load(128, 200, 4, 20, 4, 24), Endpoint("http://127.0.0.1:9", "m", "tokens")
GET_IT = "  try: `uv tool install aiperf==0.13.0`, or `pipx install aiperf==0.13.0`"


def _measured(folder: Path, behaviour: str, seconds: float = 60) -> str:
    found = installed_aiperf(str(fake_aiperf(folder, behaviour=behaviour)))
    return measure(found, BENCHMARK, LOAD, ENDPOINT, folder / "load", seconds=seconds, report=print)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("echo 0.12.0", "aiperf is AIPerf 0.12.0; figures compare only if one version has measured"),
        ("echo 'ImportError: no crick' >&2; exit 1", "aiperf --version` failed: ImportError: no crick\n"),
    ],
)
def test_a_program_of_another_version_and_one_that_does_not_start_are_refused(
    answer: str, said: str, tmp_path: Path
) -> None:
    program = tmp_path / "aiperf"
    program.write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(CommandError) as refused:
        installed_aiperf(str(program))
    assert said in str(refused.value)
    assert str(refused.value).endswith(GET_IT)


def test_a_directory_as_tokenizer_is_not_refused_for_being_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    behaviour = f'[ -z "$HF_HUB_OFFLINE" ] && cp {RECORDED} "$out"; true'
    assert _measured(tmp_path, behaviour) == RECORDED.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (
            "echo '│    Reason: Failed to load tokenizer   │'; exit 1",
            "1: Failed to load tokenizer\n"
            "  try: --tokenizer with the directory of the model's tokenizer.json on this machine",
        ),
        ("exit 0", "0: it says nothing"),
    ],
    ids=["a reason", "no summary"],
)
def test_a_load_that_fails_ends_with_aiperf_s_reason_and_the_way_to_its_files(
    behaviour: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(CommandError) as failed:
        _measured(tmp_path, behaviour)
    expected = f"128/200 at 4: AIPerf ended with exit code {said}\n  its files: {tmp_path / 'load'}"
    assert str(failed.value) == expected


# Writes its process's id, so that a test can see that it has ended.
_ENDLESS = 'echo $$ > "$out/new"; mv "$out/new" "$out/pid"; exec sleep 300'


def test_a_load_that_takes_too_long_is_interrupted(tmp_path: Path) -> None:
    with pytest.raises(
        CommandError, match=r"AIPerf had not ended after 1 s and was interrupted\n  try: a longer"
    ):
        _measured(tmp_path, _ENDLESS, seconds=1)
    file = tmp_path / "load" / "pid"
    # Where it is not there, the program ended before its last command: so the process has ended as well.
    with pytest.raises((ProcessLookupError, FileNotFoundError)):
        os.kill(int(file.read_text(encoding="utf-8")), 0)


DEADLINE_SECONDS = 30
_DEAF = "trap '' INT; sleep 300 & echo ready; wait"
"""Neither the shell nor what it started ends for SIGINT."""


@pytest.mark.parametrize(
    ("command", "lines", "code"),
    [
        (["printf", r"one\rtwo\nthree"], ["one", "two", "three"], 0),
        (["sh", "-c", "echo wrong >&2; exit 3"], ["wrong"], 3),
        # It hears a Ctrl-C of its own.
        (["sh", "-c", "kill -INT $$; echo deaf"], [], -signal.SIGINT),
    ],
    ids=["a bar's lines", "the error stream", "Ctrl-C"],
)
def test_each_line_is_read_to_the_end(command: list[str], lines: list[str], code: int) -> None:
    with streamed(command) as process:
        assert [
            line for line in process.lines(time.monotonic() + DEADLINE_SECONDS) if line is not None
        ] == lines
        assert process.exit_code() == code


def test_what_does_not_end_for_an_interruption_is_killed_with_all_that_it_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streamed_process, "_END_SECONDS", 0.1)
    with streamed(["sh", "-c", _DEAF]) as process:
        assert next(line for line in process.lines(time.monotonic() + DEADLINE_SECONDS) if line) == "ready"
    # The end of the output is the end of everybody who could write to it.
    assert list(process.lines(time.monotonic() + DEADLINE_SECONDS)) == []


def test_a_port_forward_that_says_nothing_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = FakeCluster(tmp_path).answer_in(monkeypatch)
    cluster.say("forwarding", "")
    with (
        PortForward(cluster.commands, "gpt-oss", "mine", seconds=1) as forward,
        pytest.raises(CommandError, match=r"did not start within 1 s: it says nothing"),
    ):
        forward.address()
