from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from recipes.load import CATALOGUE, load_recipe, parse_recipe, recipe_names
from recipes.tensorrt_llm import TensorRtLlmOptions, engine_file

NAME = "gpt-oss-120b/trtllm-disagg"
PREFILL, DECODE = 1, 2


def _content() -> dict[str, Any]:
    return yaml.safe_load((CATALOGUE / f"{NAME}.yaml").read_text(encoding="utf-8"))


def _refusal(content: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as raised:
        parse_recipe(yaml.safe_dump(content))
    return str(raised.value)


def test_the_catalogue_lists_recipes_by_model_and_variant() -> None:
    assert recipe_names() == (NAME,)
    assert load_recipe(NAME).name == NAME


def test_a_recipe_that_is_not_there_is_no_recipe() -> None:
    with pytest.raises(KeyError):
        load_recipe("../../pyproject")


def test_an_unknown_key_in_a_recipe_is_refused() -> None:
    content = _content()
    content["services"][PREFILL]["engine"]["max_batchsize"] = 64
    assert "max_batchsize" in _refusal(content)


def test_a_number_in_quotes_is_no_number() -> None:
    content = _content()
    content["services"][PREFILL]["engine"]["max_batch_size"] = "64"
    assert "max_batch_size" in _refusal(content)


def test_a_branch_is_no_revision() -> None:
    content = _content()
    content["model"]["revision"] = "main"
    assert "revision" in _refusal(content)


@pytest.mark.parametrize(
    ("service", "change", "said"),
    [
        (
            DECODE,
            {"tensor_parallel_size": 2},
            "TrtllmDecodeWorker: 4 GPUs, but the engine's parallelism takes 2",
        ),
        (
            DECODE,
            {"pipeline_parallel_size": 2},
            "TrtllmDecodeWorker: 4 GPUs, but the engine's parallelism takes 8",
        ),
        (
            DECODE,
            {"moe_expert_parallel_size": 3},
            "moe_expert_parallel_size 3 must divide tensor_parallel_size 4",
        ),
        (
            PREFILL,
            {"cache_transceiver_config": {"backend": "UCX", "max_tokens_in_buffer": 9000}},
            "max_tokens_in_buffer 9000 must be a multiple of tokens_per_block 32",
        ),
        (
            DECODE,
            {"cache_transceiver_config": {"backend": "UCX", "max_tokens_in_buffer": 8192}},
            "decode max_tokens_in_buffer 8192 is smaller than the longest prompt that prefill admits, 9000",
        ),
        (
            DECODE,
            {"cache_transceiver_config": {"backend": "NIXL", "max_tokens_in_buffer": 9216}},
            "prefill and decode workers must use the same transceiver backend",
        ),
        (
            DECODE,
            {"cache_transceiver_config": None},
            "prefill and decode workers both need cache_transceiver_config",
        ),
        (
            DECODE,
            {"kv_cache_config": {"dtype": "auto"}},
            "KV cache of fp8 cannot be read by a decode worker with auto",
        ),
        (
            PREFILL,
            {"max_seq_len": 8000},
            "prompts of 8192 tokens exceed the prefill worker's max_seq_len 8000",
        ),
        (PREFILL, {"max_num_tokens": 8192}, "prefill max_seq_len 9000 exceeds its max_num_tokens 8192"),
        (
            DECODE,
            {"max_seq_len": 9000},
            "9216 tokens of prompt and answer exceed the decode worker's max_seq_len",
        ),
        (DECODE, {"extra": {"max_batch_size": 3}}, "extra repeats modelled options: max_batch_size"),
    ],
)
def test_a_recipe_that_could_not_serve_is_refused(service: int, change: dict[str, Any], said: str) -> None:
    content = _content()
    content["services"][service]["engine"] |= change
    assert said in _refusal(content)


def test_a_frontend_has_no_gpus() -> None:
    content = _content()
    content["services"][0]["gpus"] = 1
    assert "Frontend: a frontend has no engine and no GPUs" in _refusal(content)


def test_a_worker_needs_an_engine() -> None:
    content = _content()
    del content["services"][PREFILL]["engine"]
    assert "TrtllmPrefillWorker: a prefill worker needs engine options" in _refusal(content)


def test_service_names_differ_in_more_than_their_case() -> None:
    content = _content()
    content["services"][DECODE]["serviceName"] = "trtllmprefillworker"
    assert "service names must differ" in _refusal(content)


def test_a_recipe_has_each_role_once() -> None:
    content = _content()
    content["services"][DECODE]["role"] = "prefill"
    assert "one frontend, one prefill and one decode" in _refusal(content)


def test_a_recipe_cannot_be_changed_after_it_was_read() -> None:
    with pytest.raises(ValidationError):
        load_recipe(NAME).graph_name = "other"


def test_an_engine_option_without_a_model_here_is_passed_through() -> None:
    options = TensorRtLlmOptions(
        max_batch_size=1,
        max_num_tokens=1,
        max_seq_len=1,
        tensor_parallel_size=1,
        extra={"scheduler_config": {"capacity_scheduler_policy": "MAX_UTILIZATION"}},
    )
    written = yaml.safe_load(engine_file(options))
    assert written["scheduler_config"] == {"capacity_scheduler_policy": "MAX_UTILIZATION"}
    assert "extra" not in written


@given(
    batch=st.integers(1, 4096),
    tokens=st.integers(1, 65536),
    length=st.integers(1, 131072),
    parallel=st.sampled_from([1, 2, 4, 8]),
    fraction=st.floats(0.01, 0.99),
    extra=st.dictionaries(st.sampled_from(["scheduler_config", "attn_backend"]), st.integers() | st.text()),
)
def test_an_engine_file_reads_back_as_the_options_it_was_written_from(
    batch: int, tokens: int, length: int, parallel: int, fraction: float, extra: dict[str, Any]
) -> None:
    options = TensorRtLlmOptions.model_validate(
        {
            "max_batch_size": batch,
            "max_num_tokens": tokens,
            "max_seq_len": length,
            "tensor_parallel_size": parallel,
            "kv_cache_config": {"free_gpu_memory_fraction": fraction},
            "extra": extra,
        }
    )
    written = yaml.safe_load(engine_file(options))
    modelled = {key: value for key, value in written.items() if key not in extra}
    assert TensorRtLlmOptions.model_validate(modelled | {"extra": extra}) == options
    assert engine_file(options) == engine_file(options.model_copy())


def test_the_order_in_which_options_are_given_leaves_the_engine_file_as_it_is() -> None:
    engine = _content()["services"][DECODE]["engine"]
    reordered = dict(reversed(engine.items()))
    assert engine_file(TensorRtLlmOptions.model_validate(reordered)) == engine_file(
        TensorRtLlmOptions.model_validate(engine)
    )
