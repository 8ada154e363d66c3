"""Prompts and the buffers that their KV cache is handed over in."""

import pytest

from tests.stacks.changed_settings import Change, Settings, changed, override, said
from tests.support.dev_settings import disagg_b200_settings, disagg_gb200_settings, resolved

LONG = override("prefill", max_seq_len=16384)


def _buffers(tokens: int) -> Change:
    return {
        f"serving.overrides.{role}.cache_transceiver_config": {"max_tokens_in_buffer": tokens}
        for role in ("prefill", "decode")
    }


@pytest.mark.parametrize(
    ("change", "buffer", "longest", "needed"),
    [(LONG, 9216, 16383, 16384), (_buffers(0), 0, 8999, 9024)],
    ids=["a longer prompt", "buffers that are allocated as they go"],
)
def test_a_prompt_longer_than_buffers_that_do_not_grow_is_refused(
    change: Change, buffer: int, longest: int, needed: int
) -> None:
    assert said(changed(disagg_gb200_settings(), change)) == "\n".join(
        f"Pulumi.dev.yaml: serving.overrides.{role}.cache_transceiver_config.max_tokens_in_buffer = "
        f"{buffer}\n"
        f"  {role} max_tokens_in_buffer {buffer} is smaller than the longest prompt that prefill admits, "
        f"{longest}, and the buffers of kvTransport mnnvl (backend DEFAULT) do not grow\n"
        f"  try: {needed} or more, or a lower max_seq_len of prefill"
        for role in ("prefill", "decode")
    )


@pytest.mark.parametrize(
    "settings",
    [
        changed(disagg_b200_settings(), LONG, override("decode", max_seq_len=20000)),
        changed(disagg_b200_settings(), _buffers(0)),
        changed(disagg_gb200_settings(), _buffers(9024)),
        changed(disagg_gb200_settings(), _buffers(9216)),
    ],
    ids=["TCP, whose buffers grow", "TCP, as they go", "as long as the prompt", "longer than the prompt"],
)
def test_buffers_that_grow_or_hold_the_longest_prompt_are_accepted(settings: Settings) -> None:
    assert resolved(settings)
