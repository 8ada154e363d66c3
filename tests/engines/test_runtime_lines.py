"""What is known of each line of the runtime, held against the options that were read of it."""

import pytest

from engines.command_options import option_values
from engines.release import line_name, release_line
from engines.runtime_lines import RUNTIME_LINES


def test_a_name_of_a_line_needs_a_release() -> None:
    assert line_name("1.4.2-efa") == "1.4"
    with pytest.raises(ValueError, match="latest is no release of the runtime image"):
        line_name("latest")


@pytest.mark.parametrize("name", RUNTIME_LINES)
def test_the_event_plane_of_a_line_is_one_that_its_frontend_takes(name: str) -> None:
    line = RUNTIME_LINES[name]
    known = option_values("dynamo.frontend")["--event-plane"].by_line[release_line(line.version.value)]
    assert line.event_plane.value in known


def test_http_carries_requests_in_1_2_alone() -> None:
    assert {name for name, line in RUNTIME_LINES.items() if "http" in line.request_planes} == {"1.2"}


def test_a_tensorrt_llm_worker_that_does_both_is_worded_otherwise_from_1_4_on() -> None:
    words = {name: line.disaggregation_modes("dynamo.trtllm")[0] for name, line in RUNTIME_LINES.items()}
    assert words == {"1.2": "prefill_and_decode", "1.4": "agg"}


@pytest.mark.parametrize("name", RUNTIME_LINES)
def test_prefill_and_decode_are_words_of_every_line(name: str) -> None:
    for command in ("dynamo.trtllm", "dynamo.vllm"):
        assert {"prefill", "decode"} <= set(RUNTIME_LINES[name].disaggregation_modes(command))
