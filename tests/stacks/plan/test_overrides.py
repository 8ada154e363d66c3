"""Engine options of a stack: over the recipe's, or refused at the option, by the engine that reads them."""

from typing import Any

import pytest

from recipes.load import load_recipe
from tests.stacks.changed_settings import changed, override, replicas, said
from tests.support.dev_settings import (
    FILE,
    agg_gb200_settings,
    disagg_b200_settings,
    problems_of,
    resolved,
)
from tests.support.vllm_settings import overridden_settings

NO_DIVISOR = override("decode", moe_expert_parallel_size=3)


def test_an_override_changes_one_option_of_one_role() -> None:
    settings = changed(disagg_b200_settings(), override("decode", max_batch_size=640))
    recipe = resolved(settings).serving.placed.recipe
    published = load_recipe(recipe.name)
    assert recipe.engine_of("decode").max_batch_size == 640
    assert recipe.engine_of("decode").max_num_tokens == published.engine_of("decode").max_num_tokens
    assert recipe.engine_of("prefill") == published.engine_of("prefill")


def test_null_takes_the_recipe_s_value_away_and_the_engine_s_holds() -> None:
    settings = changed(agg_gb200_settings(), override("worker", max_batch_size=None))
    options: Any = resolved(settings).serving.placed.recipe.engine_of("worker")
    assert (options.max_batch_size, options.concurrent_requests) == (None, 4 * 2048)


def test_parallelism_that_is_overridden_changes_what_is_placed() -> None:
    stack = resolved(changed(disagg_b200_settings(), override("decode", tensor_parallel_size=2)))
    gpus = {worker.role: worker.gpus for worker in stack.serving.placed.workers}
    assert gpus == {"prefill": 1, "decode": 2}
    assert stack.pools[0].used_gpus == 3


def test_the_benchmark_never_asks_for_more_than_the_changed_engines_run() -> None:
    settings = changed(agg_gb200_settings(), override("worker", max_batch_size=100))
    assert resolved(settings).serving.placed.recipe.benchmark_concurrency == 400


@pytest.mark.parametrize(("tokens", "longest"), [(8_500, 8_499), (12_000, 10_999)])
def test_a_prompt_leaves_room_for_a_token_of_its_answer_in_both_workers(tokens: int, longest: int) -> None:
    settings = changed(disagg_b200_settings(), override("prefill", max_seq_len=tokens))
    assert resolved(settings).serving.placed.recipe.longest_prompt == longest


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            NO_DIVISOR,
            ".decode\n  moe_expert_parallel_size 3 must divide tensor_parallel_size 4: write one of 1, 2, 4",
        ),
        (
            override("prefill", cache_transceiver_config={"max_tokens_in_buffer": 9217}),
            ".prefill\n  max_tokens_in_buffer 9217 must be a multiple of tokens_per_block 32: write 9248",
        ),
        (
            override("worker", max_seq_len=3),
            ".worker\n  the recipe gpt-oss-120b/trtllm-disagg has no role worker, only prefill and decode",
        ),
        (
            override("prefill", kv_cache_config={"dtype": "auto"}),
            "\n  KV cache of auto cannot be read by a decode worker with fp8",
        ),
        (
            override("decode", cuda_graph_config={"batch_sizes": [1, 2, 4], "max_batch_size": 8}),
            ".decode.cuda_graph_config\n"
            "  cuda_graph_config.max_batch_size 8 is not the largest of batch_sizes; write max_batch_size: "
            "4, or only one of the two (null removes one)",
        ),
        (
            override("decode", tensor_parallel_size=None),
            ".decode\n"
            "  tensor_parallel_size: null takes the recipe's value away, and the engine needs one; leave the "
            "option out",
        ),
    ],
)
def test_an_override_that_the_engine_would_refuse_is_refused_at_its_option(
    change: dict[str, Any], says: str
) -> None:
    assert said(changed(disagg_b200_settings(), change)) == f"Pulumi.dev.yaml: serving.overrides{says}"


def test_an_override_changes_one_option_and_one_key_of_a_block() -> None:
    block = {"max_cudagraph_capture_size": 2048}
    recipe = resolved(overridden_settings(max_num_seqs=128, compilation_config=block)).serving.placed.recipe
    options: Any = recipe.engine_of("worker")
    assert (options.max_num_seqs, options.max_num_batched_tokens) == (128, 32768)
    assert options.compilation_config.max_cudagraph_capture_size == 2048
    assert options.compilation_config.pass_config == {"fuse_allreduce_rms": True, "eliminate_noops": True}


@pytest.mark.parametrize(
    ("options", "says", "meant"),
    [
        (
            {"max_num_sequs": 64},
            ".worker.max_num_sequs = 64\n  there is no setting 'max_num_sequs'",
            "max_num_seqs",
        ),
        (
            {"max_batch_size": 64},
            ".worker.max_batch_size = 64\n  there is no setting 'max_batch_size' here\n",
            "",
        ),
        ({"max_num_seqs": "64"}, ".worker.max_num_seqs = '64'\n  this is text\n", "64, without quotes"),
        ({"kv_cache_dtype": "fp9"}, ".worker.kv_cache_dtype = 'fp9'\n  not one of the known values\n", "fp8"),
        (
            {"compilation_config": {"pas_config": {}}},
            ".worker.compilation_config.pas_config\n  there is no setting 'pas_config' here\n",
            "pass_config",
        ),
        ({"gpu_memory_utilization": 1.2}, ".worker.gpu_memory_utilization = 1.2\n  out of range", ""),
        (
            {"max_num_seqs": 40000},
            ".worker\n  max_num_batched_tokens 32768 must be at least max_num_seqs 40000",
            "",
        ),
        (
            {"max_model_len": 200000},
            "\n  agg: max_model_len 200000 exceeds the 131072 positions of the model",
            "",
        ),
        (
            {"moe_backend": "triton"},
            "\n  agg: moe_backend triton takes the experts' activations in BF16, "
            "whatever quantization.algorithm says",
            "",
        ),
        ([1], ".worker = [1]\n  this is a list\n  allowed: a mapping", ""),
    ],
)
def test_a_mistake_is_named_with_file_key_value_and_what_was_probably_meant(
    options: Any, says: str, meant: str
) -> None:
    [problem] = problems_of(changed(overridden_settings(), {"serving.overrides.worker": options}))
    assert problem.text(FILE).startswith(f"Pulumi.dev.yaml: serving.overrides{says}")
    assert not meant or problem.suggestion == meant


def test_two_mistakes_are_told_at_once_and_hide_no_other() -> None:
    settings = changed(overridden_settings(max_num_sequs=64, block_size="64"), replicas(worker=9))
    keys = {problem.key.rpartition(".")[2] for problem in problems_of(settings)}
    assert keys == {"max_num_sequs", "block_size", "replicas"}
