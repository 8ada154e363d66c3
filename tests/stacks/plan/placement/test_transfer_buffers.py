from typing import Any

import pytest

from tests.support.dev_settings import disagg_b200_settings, disagg_gb200_settings, problems_of, resolved

LONG = {"max_seq_len": 16384}


def _buffers(tokens: int) -> dict[str, Any]:
    return {"cache_transceiver_config": {"max_tokens_in_buffer": tokens}}


def _overridden(settings: dict[str, Any], **overrides: Any) -> dict[str, Any]:
    settings["serving"]["overrides"] = overrides
    return settings


def test_a_prompt_longer_than_buffers_that_do_not_grow_is_refused() -> None:
    prefill, decode = problems_of(_overridden(disagg_gb200_settings(), prefill=LONG))
    assert prefill.key == "serving.overrides.prefill.cache_transceiver_config.max_tokens_in_buffer"
    assert decode.key == "serving.overrides.decode.cache_transceiver_config.max_tokens_in_buffer"
    assert prefill.value == 9216
    assert (
        "prefill max_tokens_in_buffer 9216 is smaller than the longest prompt that prefill admits, 16383, "
        "and the buffers of kvTransport mnnvl (backend DEFAULT) do not grow" in prefill.message
    )
    assert prefill.suggestion == "16384 or more, or a lower max_seq_len of prefill"


def test_a_prompt_longer_than_buffers_that_grow_is_admitted() -> None:
    stack = resolved(_overridden(disagg_b200_settings(), prefill=LONG, decode={"max_seq_len": 20000}))
    assert stack.serving.placed.kv_transport is not None
    assert stack.serving.placed.kv_transport.path.transport == "tcp"
    assert stack.serving.placed.recipe.longest_prompt == 16383


def test_buffers_of_no_tokens_are_allocated_as_they_go_and_need_a_backend_that_does_so() -> None:
    none = _buffers(0)
    assert resolved(_overridden(disagg_b200_settings(), prefill=none, decode=none))
    messages = [
        problem.message
        for problem in problems_of(_overridden(disagg_gb200_settings(), prefill=none, decode=none))
    ]
    assert [message.split()[0] for message in messages] == ["prefill", "decode"]
    assert all("max_tokens_in_buffer 0 is smaller" in message for message in messages)


@pytest.mark.parametrize("tokens", [9024, 9216])
def test_buffers_that_hold_the_longest_prompt_are_accepted_with_every_transport(tokens: int) -> None:
    assert resolved(_overridden(disagg_gb200_settings(), prefill=_buffers(tokens), decode=_buffers(tokens)))
