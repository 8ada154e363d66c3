"""Overrides of a recipe that runs vLLM: read by its engine, whatever another engine would take."""

from typing import Any

import pytest

from tests.stacks.changed_settings import changed, replicas
from tests.support.dev_settings import FILE, problems_of, resolved
from tests.support.vllm_settings import overridden_settings


def test_an_override_changes_one_option_and_one_key_of_a_block() -> None:
    block = {"max_cudagraph_capture_size": 2048}
    recipe = resolved(overridden_settings(max_num_seqs=128, compilation_config=block)).serving.placed.recipe
    options: Any = recipe.engine_of("worker")
    assert (options.max_num_seqs, options.max_num_batched_tokens) == (128, 32768)
    assert options.compilation_config.max_cudagraph_capture_size == 2048
    assert options.compilation_config.pass_config == {"fuse_allreduce_rms": True, "eliminate_noops": True}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"max_num_sequs": 64}, ".max_num_sequs = 64\n  there is no setting 'max_num_sequs' here\n"),
        (
            {"max_batch_size": 64},
            ".max_batch_size = 64\n  there is no setting 'max_batch_size' here\n",
        ),
        ({"max_num_seqs": "64"}, ".max_num_seqs = '64'\n  this is text\n"),
        ({"kv_cache_dtype": "fp9"}, ".kv_cache_dtype = 'fp9'\n  not one of the known values\n"),
        (
            {"compilation_config": {"pas_config": {}}},
            ".compilation_config.pas_config\n  there is no setting 'pas_config' here\n",
        ),
        ({"gpu_memory_utilization": 1.2}, ".gpu_memory_utilization = 1.2\n  out of range"),
        (
            {"max_num_seqs": 40000},
            ".max_num_seqs = 40000\n  max_num_batched_tokens 32768 must be at least max_num_seqs 40000",
        ),
        (
            {"max_model_len": 200000},
            ".max_model_len = 200000\n  agg: max_model_len 200000 exceeds the 131072 positions of the model",
        ),
        (
            {"moe_backend": "triton"},
            ".moe_backend = 'triton'\n  agg: moe_backend triton takes the experts' activations in BF16, "
            "whatever quantization.algorithm says",
        ),
        ([1], " = [1]\n  this is a list\n  allowed: a mapping"),
    ],
)
def test_a_mistake_is_named_with_file_key_and_value(options: Any, says: str) -> None:
    settings = changed(overridden_settings(), {"serving.overrides.worker": options})
    [problem] = problems_of(settings)
    assert problem.text(FILE).startswith(f"Pulumi.dev.yaml: serving.overrides.worker{says}")


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        ({"max_num_sequs": 64}, "max_num_seqs"),
        ({"max_num_seqs": "64"}, "64, without quotes"),
        ({"kv_cache_dtype": "fp9"}, "fp8"),
        ({"compilation_config": {"pas_config": {}}}, "pass_config"),
    ],
)
def test_a_mistake_is_named_with_what_was_probably_meant(options: dict[str, Any], meant: str) -> None:
    assert [each.suggestion for each in problems_of(overridden_settings(**options))] == [meant]


def test_two_mistakes_are_told_at_once_and_hide_no_other() -> None:
    settings = changed(overridden_settings(max_num_sequs=64, block_size="64"), replicas(worker=9))
    keys = {problem.key.rpartition(".")[2] for problem in problems_of(settings)}
    assert keys == {"max_num_sequs", "block_size", "replicas"}
