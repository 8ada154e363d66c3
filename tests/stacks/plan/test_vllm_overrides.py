"""Overrides of a recipe that runs vLLM: read by its engine, whatever another engine would take."""

from typing import Any

import pytest

from tests.support.dev_settings import problems_of, resolved
from tests.support.vllm_settings import RECIPE, overridden_settings, vllm_settings


def test_an_override_changes_one_option_and_one_key_of_a_block() -> None:
    block = {"max_cudagraph_capture_size": 2048}
    recipe = resolved(overridden_settings(max_num_seqs=128, compilation_config=block)).serving.placed.recipe
    options: Any = recipe.engine_of("worker")
    assert options.max_num_seqs == 128
    assert options.max_num_batched_tokens == 32768
    assert options.compilation_config.max_cudagraph_capture_size == 2048
    assert options.compilation_config.pass_config == {"fuse_allreduce_rms": True, "eliminate_noops": True}


def test_more_gpus_of_a_worker_are_fewer_workers_on_a_node() -> None:
    settings = overridden_settings(tensor_parallel_size=4)
    settings["serving"]["replicas"] = {"worker": 2}
    assert [worker.gpus for worker in resolved(settings).serving.placed.workers] == [4]


@pytest.mark.parametrize(
    ("options", "key", "value", "message", "suggestion"),
    [
        (
            {"max_num_sequs": 64},
            "max_num_sequs",
            64,
            "there is no setting 'max_num_sequs' here",
            "max_num_seqs",
        ),
        (
            {"max_batch_size": 64},
            "max_batch_size",
            64,
            f"{RECIPE} runs vLLM, which has no max_batch_size; TensorRT-LLM has",
            None,
        ),
        ({"max_num_seqs": "64"}, "max_num_seqs", "64", "this is text", "64, without quotes"),
        ({"kv_cache_dtype": "fp9"}, "kv_cache_dtype", "fp9", "not one of the known words", "fp8"),
        (
            {"compilation_config": {"pas_config": {}}},
            "compilation_config.pas_config",
            None,
            "there is no setting 'pas_config' here",
            "pass_config",
        ),
        ({"gpu_memory_utilization": 1.2}, "gpu_memory_utilization", 1.2, "out of range", None),
        ({"max_num_seqs": 40000}, "max_num_seqs", 40000, "must be at least max_num_seqs 40000", None),
        ({"max_model_len": 200000}, "max_model_len", 200000, "exceeds the 131072 positions", None),
        ({"moe_backend": "triton"}, "moe_backend", "triton", "whatever quantization.algorithm says", None),
    ],
)
def test_a_mistake_is_named_with_key_value_and_what_was_meant(
    options: dict[str, Any], key: str, value: object, message: str, suggestion: str | None
) -> None:
    [problem] = problems_of(overridden_settings(**options))
    assert (problem.key, problem.value) == (f"serving.overrides.worker.{key}", value)
    assert message in problem.message
    if suggestion:
        assert problem.suggestion == suggestion


def test_the_file_is_named_with_the_mistake() -> None:
    [problem] = problems_of(overridden_settings(max_num_sequs=64))
    assert problem.text("Pulumi.x.yaml").startswith(
        "Pulumi.x.yaml: serving.overrides.worker.max_num_sequs = 64\n"
    )


def test_two_mistakes_are_told_at_once_and_hide_no_other() -> None:
    settings = overridden_settings(max_num_sequs=64, block_size="64")
    settings["serving"]["replicas"] = {"worker": 9}
    keys = {problem.key.rpartition(".")[2] for problem in problems_of(settings)}
    assert keys == {"max_num_sequs", "block_size", "replicas"}


def test_options_that_are_no_mapping_are_refused() -> None:
    settings = vllm_settings()
    settings["serving"]["overrides"] = {"worker": [1]}
    [problem] = problems_of(settings)
    assert problem.key == "serving.overrides.worker"
    assert problem.allowed == "a mapping"
