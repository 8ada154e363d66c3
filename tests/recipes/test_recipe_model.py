"""What a recipe may say, and how it is refused."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from recipes.load import CATALOGUE, load_model, load_recipe, parse_recipe, recipe_names

NAME, AGGREGATED = "gpt-oss-120b/trtllm-disagg", "gpt-oss-120b/trtllm-agg"
PAGES = Path(__file__).parents[2] / "docs" / "recipes"
PREFILL, DECODE = 1, 2
WORKER = 1


def _content(name: str = NAME) -> dict[str, Any]:
    return yaml.load((CATALOGUE / f"{name}.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def _refusal(content: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as raised:
        parse_recipe(yaml.dump(content, Dumper=yaml.CSafeDumper))
    return str(raised.value)


def test_the_catalogue_lists_recipes_by_model_and_variant() -> None:
    names = recipe_names()
    assert list(names) == sorted(names)
    assert {AGGREGATED, NAME} <= set(names)
    for name in names:
        recipe = load_recipe(name)
        assert recipe.name == name
        assert (CATALOGUE / f"{name}.yaml").is_file()
        assert (PAGES / f"{name.replace('/', '-')}.md").is_file()


def test_both_recipes_share_one_model_and_one_runtime() -> None:
    aggregated, disaggregated = load_recipe(AGGREGATED), load_recipe(NAME)
    assert aggregated.model == disaggregated.model
    assert aggregated.runtime == disaggregated.runtime


def test_only_a_split_recipe_is_disaggregated() -> None:
    assert (load_recipe(AGGREGATED).is_disaggregated, load_recipe(NAME).is_disaggregated) == (False, True)
    assert load_recipe(AGGREGATED).engine_of("worker").gpus == 4
    with pytest.raises(KeyError):
        load_recipe(AGGREGATED).engine_of("decode")


@pytest.mark.parametrize(("dtype", "size"), [("auto", 73_728), ("fp8", 36_864), ("nvfp4", 20_736)])
def test_one_token_takes_as_much_cache_as_its_number_format_says(dtype: Any, size: int) -> None:
    assert load_recipe(NAME).model.kv_bytes_per_token(dtype) == size


def test_the_cache_of_a_token_follows_from_the_recipe() -> None:
    assert load_recipe(NAME).kv_bytes_per_token == 36_864
    assert load_recipe(AGGREGATED).kv_bytes_per_token == 73_728


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
    content["model"] = load_model("gpt-oss-120b").model_dump(mode="json", by_alias=True) | {
        "revision": "main"
    }
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
            {"context_parallel_size": 2},
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
            {"cache_transceiver_config": {"backend": "NIXL", "max_tokens_in_buffer": 9216}},
            "prefill and decode workers must use the same transceiver backend",
        ),
        (
            DECODE,
            {
                "cache_transceiver_config": {"backend": "UCX", "transceiver_runtime": "CPP"},
                "kv_cache_config": {"dtype": "fp8", "use_kv_cache_manager_v2": True},
            },
            "decode: transceiver_runtime CPP moves no cache of the second manager",
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
            {"max_seq_len": 8192},
            "prompts of 8192 tokens and the first of an answer exceed the prefill worker's max_seq_len 8192",
        ),
        (
            PREFILL,
            {"max_seq_len": None, "max_num_tokens": None, "max_beam_width": 2},
            "max_beam_width 2: KV cache is transferred for one beam only; write 1",
        ),
        (
            PREFILL,
            {"max_seq_len": None, "max_num_tokens": 4096},
            "prefill prompt 8192 exceeds its max_num_tokens 4096",
        ),
        (
            DECODE,
            {"kv_cache_config": {"dtype": "fp8", "tokens_per_block": 64}},
            "prefill and decode workers must use the same tokens_per_block, not 32 and 64",
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


def test_an_aggregated_worker_stands_beside_no_prefill_worker() -> None:
    content = _content()
    content["services"][DECODE]["role"] = "worker"
    assert "one frontend and one worker service, or" in _refusal(content)


def test_an_aggregated_worker_transfers_no_cache() -> None:
    content = _content(AGGREGATED)
    content["services"][WORKER]["engine"]["cache_transceiver_config"] = {"backend": "UCX"}
    assert "an aggregated worker transfers no KV cache" in _refusal(content)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"max_num_tokens": 100, "enable_chunked_prefill": False},
            "prompts of 128 tokens exceed the 100 tokens that the worker admits",
        ),
        ({"max_seq_len": 1000}, "1128 tokens of prompt and answer exceed the worker's max_seq_len 1000"),
        ({"moe_config": {"backend": "WIDEEP"}}, "WIDEEP adds no bias to its experts"),
        ({"moe_config": {"backend": "TRITON"}}, "TRITON raises with expert parallelism above 1 on Blackwell"),
    ],
)
def test_an_aggregated_recipe_that_could_not_serve_is_refused(change: dict[str, Any], said: str) -> None:
    content = _content(AGGREGATED)
    content["services"][WORKER]["engine"] |= change
    assert said in _refusal(content)


def test_a_prompt_longer_than_a_step_is_admitted_in_chunks() -> None:
    content = _content(AGGREGATED)
    content["services"][WORKER]["engine"] |= {"max_num_tokens": 100, "enable_chunked_prefill": True}
    assert parse_recipe(yaml.dump(content, Dumper=yaml.CSafeDumper)).name == AGGREGATED


def test_gpt_oss_is_never_split_into_a_pipeline() -> None:
    content = _content(AGGREGATED)
    content["services"][WORKER]["engine"]["pipeline_parallel_size"] = 2
    content["services"][WORKER]["gpus"] = 8
    assert "TrtllmWorker: pipeline_parallel_size 2: gpt-oss runs with 1 only" in _refusal(content)


def test_the_experts_spread_evenly_or_not_at_all() -> None:
    content = _content(AGGREGATED)
    worker = content["services"][WORKER]
    worker["gpus"] = 6
    worker["engine"] |= {"tensor_parallel_size": 6, "moe_expert_parallel_size": 6}
    assert "moe_expert_parallel_size 6 must divide the model's 128 experts" in _refusal(content)


def test_the_split_recipes_quantization_has_no_triton_kernels() -> None:
    content = _content()
    content["services"][PREFILL]["engine"]["moe_config"] = {"backend": "TRITON"}
    assert "TRITON has no quantization method for W4A8_MXFP4_MXFP8" in _refusal(content)


@pytest.mark.parametrize("family", ["hopper"])
def test_the_split_recipe_cannot_be_offered_for_older_gpus(family: str) -> None:
    content = _content()
    content["quantization"]["architectureFamilies"] = ["blackwell", family]
    assert "on hopper: TRTLLM is for Blackwell" in _refusal(content)


def test_a_quantization_that_the_engine_would_ignore_is_refused() -> None:
    content = _content()
    content["quantization"]["algorithm"] = "MXFP4"
    assert "W4A8_MXFP4_MXFP8" in _refusal(content)


@pytest.mark.parametrize(
    ("accelerator", "said"), [("H200", "H200 is hopper"), ("GB20", "GB20 is not one of")]
)
def test_nothing_is_claimed_for_a_gpu_that_cannot_run_the_recipe(accelerator: str, said: str) -> None:
    content = _content()
    content["validatedOn"] = [accelerator]
    assert said in _refusal(content)


def test_a_frontend_says_what_it_takes_of_its_node_and_a_worker_does_not() -> None:
    content = _content()
    taken = content["services"][0].pop("resources")
    assert "Frontend: a frontend needs resources" in _refusal(content)
    content["services"][0]["resources"] = taken | {"cpuLimit": 2}
    assert "cpuLimit 2 is below cpuRequest 4" in _refusal(content)
    content["services"][0]["resources"] = taken
    content["services"][PREFILL]["resources"] = taken
    assert "TrtllmPrefillWorker: only a frontend has resources" in _refusal(content)


def test_a_recipe_cannot_be_changed_after_it_was_read() -> None:
    with pytest.raises(ValidationError):
        load_recipe(NAME).graph_name = "other"
