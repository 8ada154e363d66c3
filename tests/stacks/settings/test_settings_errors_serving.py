"""Replicas and engine options: a union of a word and a mapping, and keys that are the engine's own."""

import pytest

from engines.tensorrt_llm.blocks import MoeConfig
from tests.stacks.settings.mistakes import Path, keys_of, said_of

REPLICAS: Path = ("serving", "replicas")
OVERRIDES: Path = ("serving", "overrides")


@pytest.mark.parametrize(
    ("typed", "shown", "meant"), [("full", "'full'", "\n  try: fill"), (3, "3", ""), (True, "true", "")]
)
def test_replicas_are_fill_or_a_mapping(typed: object, shown: str, meant: str) -> None:
    assert said_of(REPLICAS, typed) == (
        f"Pulumi.dev.yaml: serving.replicas = {shown}\n"
        "  not one of the known words\n"
        f"  allowed: fill or a mapping with frontend, prefill, decode, worker{meant}"
    )


def test_a_misspelt_role_is_one_mistake_and_not_one_for_each_form_of_replicas() -> None:
    assert said_of(REPLICAS, {"decodes": 1}) == (
        "Pulumi.dev.yaml: serving.replicas.decodes = 1\n"
        "  there is no setting 'decodes' here\n"
        "  allowed: frontend, prefill, decode, worker\n"
        "  try: decode"
    )


def test_two_mistakes_in_replicas_are_two_problems() -> None:
    text = said_of(REPLICAS, {"decode": 0, "prefil": 1})
    assert text.count("Pulumi.dev.yaml: serving.replicas.") == 2
    assert "serving.replicas.decode = 0\n  out of range\n  allowed: 1 or more" in text


@pytest.mark.parametrize("typed", ["max_batch_sise", "maxBatchSize"])
def test_a_misspelt_engine_option_is_named_with_the_nearest_ones(typed: str) -> None:
    text = said_of(OVERRIDES, {"decode": {typed: 64}})
    assert text.startswith(
        f"Pulumi.dev.yaml: serving.overrides.decode.{typed} = 64\n  there is no setting {typed!r} here\n"
    )
    assert "more, all in docs/settings.md" in text
    assert text.endswith("\n  try: max_batch_size")
    assert max(len(line) for line in text.splitlines()) < 200


def test_a_misspelt_option_in_a_block_is_named_with_all_of_the_block() -> None:
    assert said_of(OVERRIDES, {"decode": {"moe_config": {"backnd": "TRTLLM"}}}) == (
        "Pulumi.dev.yaml: serving.overrides.decode.moe_config.backnd = 'TRTLLM'\n"
        "  there is no setting 'backnd' here\n"
        f"  allowed: {keys_of(MoeConfig)}\n"
        "  try: backend"
    )


def test_an_option_that_the_engine_has_removed_is_named_with_what_replaced_it() -> None:
    assert said_of(OVERRIDES, {"decode": {"moe_backend": "TRTLLM"}}) == (
        "Pulumi.dev.yaml: serving.overrides.decode\n"
        "  moe_backend is no engine option any more: write moe_config.backend"
    )


def test_what_the_engine_takes_in_upper_case_only_is_refused_in_lower_case() -> None:
    assert said_of(OVERRIDES, {"decode": {"cache_transceiver_config": {"backend": "ucx"}}}) == (
        "Pulumi.dev.yaml: serving.overrides.decode.cache_transceiver_config.backend = 'ucx'\n"
        "  the engine takes transceiver backends in upper case only: write UCX\n"
        "  allowed: DEFAULT, UCX, NIXL, MOONCAKE or MPI"
    )


def test_an_unknown_kernel_is_named_with_the_known_ones() -> None:
    text = said_of(OVERRIDES, {"decode": {"moe_config": {"backend": "CUTLAS"}}})
    assert "moe_config.backend = 'CUTLAS'\n  not one of the known words" in text
    assert text.endswith("\n  try: CUTLASS")


def test_a_fraction_of_memory_is_less_than_one() -> None:
    text = said_of(OVERRIDES, {"decode": {"kv_cache_config": {"free_gpu_memory_fraction": 90}}})
    assert text.endswith("free_gpu_memory_fraction = 90\n  out of range\n  allowed: less than 1")


def test_a_role_that_the_settings_do_not_know_is_named() -> None:
    text = said_of(OVERRIDES, {"decoder": {"max_batch_size": 1}})
    assert text.endswith("  allowed: prefill, decode, worker\n  try: decode")
