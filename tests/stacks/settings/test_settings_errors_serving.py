"""Replicas and engine options: a union of a word and a mapping, and keys that are the engine's own."""

from typing import Any

import pytest

from engines.tensorrt_llm.options import MoeConfig
from tests.stacks.changed_settings import changed, keys_of, said
from tests.support.dev_settings import dev_settings


def _said_of(key: str, value: object) -> str:
    return said(changed(dev_settings(), {key: value}))


@pytest.mark.parametrize(
    ("typed", "shown", "meant"), [("full", "'full'", "\n  try: fill"), (3, "3", ""), (True, "true", "")]
)
def test_replicas_are_fill_or_a_mapping(typed: object, shown: str, meant: str) -> None:
    assert _said_of("serving.replicas", typed) == (
        f"Pulumi.dev.yaml: serving.replicas = {shown}\n"
        "  not one of the known values\n"
        f"  allowed: fill or a mapping{meant}"
    )


def test_two_mistakes_in_replicas_are_two_problems_and_not_one_for_each_form_of_them() -> None:
    assert _said_of("serving.replicas", {"decode": 0, "decodes": 1}) == (
        "Pulumi.dev.yaml: serving.replicas.decode = 0\n"
        "  out of range\n"
        "  allowed: 1 or more\n"
        "Pulumi.dev.yaml: serving.replicas.decodes = 1\n"
        "  there is no setting 'decodes' here\n"
        "  allowed: frontend, prefill, decode, worker\n"
        "  try: decode"
    )


@pytest.mark.parametrize("typed", ["max_batch_sise", "maxBatchSize"])
def test_a_misspelt_engine_option_is_named_with_the_nearest_ones(typed: str) -> None:
    text = _said_of("serving.overrides.decode", {typed: 64})
    assert text.startswith(
        f"Pulumi.dev.yaml: serving.overrides.decode.{typed} = 64\n  there is no setting {typed!r} here\n"
    )
    assert "  allowed: one of those in docs/settings.md\n" in text
    assert text.endswith("\n  try: max_batch_size")
    assert max(len(line) for line in text.splitlines()) < 200


@pytest.mark.parametrize(
    ("options", "says"),
    [
        pytest.param(
            {"moe_config": {"backnd": "TRTLLM"}},
            ".moe_config.backnd = 'TRTLLM'\n"
            "  there is no setting 'backnd' here\n"
            f"  allowed: {keys_of(MoeConfig)}\n"
            "  try: backend",
            id="a misspelt option in a block",
        ),
        pytest.param(
            {"moe_backend": "TRTLLM"},
            "\n  moe_backend is no engine option any more: write moe_config.backend",
            id="an option that the engine has removed",
        ),
        pytest.param(
            {"cache_transceiver_config": {"backend": "ucx"}},
            ".cache_transceiver_config.backend = 'ucx'\n"
            "  not one of the known values\n  allowed: DEFAULT, UCX, NIXL, MOONCAKE or MPI\n  try: UCX",
            id="lower case",
        ),
        pytest.param(
            {"kv_cache_config": {"free_gpu_memory_fraction": 90}},
            ".kv_cache_config.free_gpu_memory_fraction = 90\n  out of range\n  allowed: less than 1",
            id="a fraction above one",
        ),
    ],
)
def test_what_an_engine_option_cannot_be_is_named_with_what_it_can(
    options: dict[str, Any], says: str
) -> None:
    text = _said_of("serving.overrides.decode", options)
    assert text == f"Pulumi.dev.yaml: serving.overrides.decode{says}"
