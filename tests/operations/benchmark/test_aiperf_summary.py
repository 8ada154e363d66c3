"""What is read of AIPerf's own summary, recorded from a run against a mock engine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from operations.benchmark.aiperf_output import read_summary
from operations.errors import CommandError
from recipes.benchmark_load import Load
from tests.operations.benchmark.fake_aiperf import RECORDED

LOAD = Load(128, 200, 4, 20, 4, 24)


def _recorded(**changes: Any) -> str:
    return json.dumps(json.loads(RECORDED.read_text(encoding="utf-8")) | changes)


def test_the_figures_of_a_recorded_run_are_read_with_their_units() -> None:
    found = read_summary(_recorded(), LOAD, None, "here")
    assert (found.shape, found.concurrency, found.requests, found.errors) == ("128/200", 4, 20, 0)
    assert (found.first_error, found.input_tokens, found.output_tokens) == (None, 128.0, 200.0)
    assert found.output_tokens_per_second == pytest.approx(649.723, abs=1e-3)
    assert found.output_tokens_per_second_per_user == pytest.approx(170.116, abs=1e-3)
    assert found.ttft_milliseconds.p99 == pytest.approx(55.035, abs=1e-3)
    assert found.itl_milliseconds.p50 == pytest.approx(5.866, abs=1e-3)
    assert found.seconds == pytest.approx(6.145, abs=1e-3)


def test_throughput_is_divided_by_the_gpus_that_are_known() -> None:
    assert read_summary(_recorded(), LOAD, None, "here").output_tokens_per_second_per_gpu is None
    per_gpu = read_summary(_recorded(), LOAD, 5, "here").output_tokens_per_second_per_gpu
    assert per_gpu == pytest.approx(649.723 / 5, abs=1e-3)


def test_errors_are_counted_and_the_commonest_is_named() -> None:
    said = [
        {"error_details": {"code": 499, "type": "Cancelled", "message": "late"}, "count": 1},
        {"error_details": {"code": 500, "type": "Internal Server Error", "message": "no\nroom"}, "count": 6},
    ]
    text = _recorded(error_request_count={"unit": "requests", "avg": 7.0}, error_summary=said)
    found = read_summary(text, LOAD, None, "here")
    assert (found.errors, found.first_error) == (7, "500 Internal Server Error no room")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{", "here: not the summary of AIPerf, which is a JSON object", id="no JSON"),
        pytest.param("[]", "here: not the summary of AIPerf, which is a JSON object", id="a list"),
        pytest.param(
            _recorded(schema_version="2.0"),
            "here: AIPerf's summary has schema_version '2.0'; only 1.4 is understood",
            id="another schema",
        ),
        pytest.param(
            _recorded(was_cancelled=True),
            "here: AIPerf was interrupted before its load had ended",
            id="cancelled",
        ),
        pytest.param(
            _recorded(is_complete=False),
            "here: AIPerf was interrupted before its load had ended",
            id="incomplete",
        ),
        pytest.param(
            _recorded(request_count={"unit": "requests", "avg": 0.0}),
            "here: no request was answered; AIPerf does not say why",
            id="no answer",
        ),
        pytest.param(
            _recorded(inter_token_latency=None),
            "here: AIPerf's summary has no inter_token_latency.avg, which a streamed answer gives it",
            id="not streamed",
        ),
        pytest.param(
            _recorded(time_to_first_token={"unit": "ms", "avg": 3.0}),
            "here: AIPerf's summary has no time_to_first_token.p50, which a streamed answer gives it",
            id="no percentiles",
        ),
    ],
)
def test_a_summary_that_cannot_be_used_is_refused_with_its_reason(text: str, message: str) -> None:
    with pytest.raises(CommandError) as refused:
        read_summary(text, LOAD, None, "here")
    assert str(refused.value) == message
