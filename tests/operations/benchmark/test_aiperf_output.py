"""What is read of AIPerf 0.13.0's lines, of a Job's log, and of a summary recorded from a mock engine."""

import json
from typing import Any

import pytest

from operations.benchmark.aiperf import (
    AIPerfLog,
    Progress,
    failure_reason,
    read_progress,
    read_summary,
)
from operations.errors import CommandError
from recipes.benchmark import Load
from recipes.benchmark_job import RESULT_FOLLOWS
from tests.operations.benchmark.made_results import RECORDED

LOAD = Load(128, 200, 4, 20, 4, 24)
EXIT_ERRORS = """\
08:22:37.759 ERROR    Failed to handle command profile_configure: no such host (base_component_service.py:522)
╭─ AIPerf System Exit Errors ──────────────────────╮
│ • Service: record_processor_aae6adea             │
│    Operation: Configure Profiling                │
│    Error: CommandError                           │
│    Reason: Failed to load tokenizer 'mine':      │
│            it is not there                       │
│                                                  │
│ • Service: system_controller                     │
│    Reason: HookError                             │
╰──────────────────────────────────────────────────╯
Log File: /results/logs/aiperf.log
""".splitlines()
ALL_FAILED = """\
08:23:22.382 ERROR    Error in aiohttp request: Cannot connect to host 127.0.0.1:8001
08:23:23.136 ERROR    All 20 inference request(s) failed; no successful responses were collected.
│    Reason: All 20 inference request(s) failed.   │
╰──────────────────────────────────────────────────╯
""".splitlines()


@pytest.mark.parametrize(
    ("line", "progress"),
    [
        (
            "Profiling: 18/20 |\x1b[32m█████████ \x1b[0m|  90% [00:00<00:00]",
            ("Profiling", 18, 20),
        ),
        ("Warmup: 0/4 |\x1b[33m   \x1b[0m|   0% [00:00<?]", ("Warmup", 0, 4)),
        ("Profiling: 1,024/36,000 |", ("Profiling", 1024, 36000)),
        ("Warmup: 4/4 | Profiling: 3/20 |", ("Profiling", 3, 20)),
        ("08:22:26.201 INFO     AIPerf System is PROFILING", None),
        ("Processing Records: 4/20 |", None),
    ],
)
def test_the_last_bar_of_a_line_says_how_far_the_load_is(line: str, progress: Progress | None) -> None:
    assert read_progress(line) == progress


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        pytest.param(
            EXIT_ERRORS, "Failed to load tokenizer 'mine': it is not there", id="the first that AIPerf gives"
        ),
        pytest.param(
            ALL_FAILED,
            "All 20 inference request(s) failed. The last of them: Error in aiohttp request: Cannot connect "
            "to host 127.0.0.1:8001",
            id="the error of one where every request failed",
        ),
        pytest.param(
            ["Traceback", "ImportError: no crick", "", "Profiling: 3/20 |"],
            "ImportError: no crick",
            id="the last words",
        ),
        pytest.param([], "it says nothing", id="nothing"),
    ],
)
def test_why_aiperf_ended_is_said_in_its_own_words(lines: list[str], reason: str) -> None:
    assert failure_reason(lines) == reason


@pytest.mark.parametrize(
    ("lines", "results"),
    [
        pytest.param(
            (f"{RESULT_FOLLOWS} 1", "{", '  "a": {', "  }", "}", "", f"{RESULT_FOLLOWS} 2", "{", "}"),
            {1: '{\n  "a": {\n  }\n}', 2: "{\n}"},
            id="two",
        ),
        pytest.param((f"{RESULT_FOLLOWS} 1", "{", '  "a": 1'), {}, id="one that is cut off"),
        pytest.param(
            ("Profiling: 3/20 |", f"Profiling: 20/20 |{RESULT_FOLLOWS} 1", "{", "}"),
            {1: "{\n}"},
            id="one behind a bar",
        ),
    ],
)
def test_the_results_in_a_log_stand_between_their_line_and_their_last_brace(
    lines: tuple[str, ...], results: dict[int, str]
) -> None:
    log = AIPerfLog()
    for line in lines:
        log.read(line)
    assert log.results == results


def _recorded(**changes: Any) -> str:
    return json.dumps(json.loads(RECORDED.read_text(encoding="utf-8")) | changes)


def test_the_figures_of_a_recorded_run_are_read_with_their_units() -> None:
    found = read_summary(_recorded(), LOAD, 5)
    assert (found.shape, found.concurrency, found.requests, found.errors) == ("128/200", 4, 20, 0)
    assert (found.first_error, found.input_tokens, found.output_tokens) == (None, 128.0, 200.0)
    assert found.output_tokens_per_second == pytest.approx(649.723, abs=1e-3)
    assert found.output_tokens_per_second_per_user == pytest.approx(170.116, abs=1e-3)
    assert found.output_tokens_per_second_per_gpu == pytest.approx(649.723 / 5, abs=1e-3)
    assert found.ttft_milliseconds.p99 == pytest.approx(55.035, abs=1e-3)
    assert found.itl_milliseconds.p50 == pytest.approx(5.866, abs=1e-3)
    assert found.seconds == pytest.approx(6.145, abs=1e-3)


def test_errors_are_counted_and_the_commonest_is_named() -> None:
    said = [
        {"error_details": {"code": 499, "type": "Cancelled", "message": "late"}, "count": 1},
        {"error_details": {"code": 500, "type": "Internal Server Error", "message": "no\nroom"}, "count": 6},
    ]
    text = _recorded(error_request_count={"unit": "requests", "avg": 7.0}, error_summary=said)
    found = read_summary(text, LOAD, None)
    assert (found.errors, found.first_error) == (7, "500 Internal Server Error no room")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{", "not the summary of AIPerf, which is a JSON object", id="no JSON"),
        pytest.param("[]", "not the summary of AIPerf, which is a JSON object", id="a list"),
        pytest.param(
            _recorded(schema_version="2.0"),
            "AIPerf's summary has schema_version '2.0'; only 1.4 is understood",
            id="another schema",
        ),
        pytest.param(
            _recorded(was_cancelled=True), "AIPerf was interrupted before its load had ended", id="cancelled"
        ),
        pytest.param(
            _recorded(is_complete=False), "AIPerf was interrupted before its load had ended", id="incomplete"
        ),
        pytest.param(
            _recorded(request_count={"unit": "requests", "avg": 0.0}),
            "no request was answered; AIPerf does not say why",
            id="no answer",
        ),
        pytest.param(
            _recorded(inter_token_latency=None),
            "AIPerf's summary has no inter_token_latency.avg, which a streamed answer gives it",
            id="not streamed",
        ),
        pytest.param(
            _recorded(time_to_first_token={"unit": "ms", "avg": 3.0}),
            "AIPerf's summary has no time_to_first_token.p50, which a streamed answer gives it",
            id="no percentiles",
        ),
    ],
)
def test_a_summary_that_cannot_be_used_is_refused_with_its_reason(text: str, message: str) -> None:
    with pytest.raises(CommandError) as refused:
        read_summary(text, LOAD, None)
    assert str(refused.value) == f"128/200 at 4: {message}"
