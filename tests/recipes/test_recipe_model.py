"""What a recipe may say, and how it is refused."""

from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from recipes.load import CATALOGUE, load_recipe, parse_recipe

NAME, AGGREGATED = "gpt-oss-120b/trtllm-disagg", "gpt-oss-120b/trtllm-agg"


def _content(name: str = NAME) -> dict[str, Any]:
    return yaml.load((CATALOGUE / f"{name}.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


FRONTEND_RESOURCES: dict[str, Any] = _content()["services"][0]["resources"]
ENGINE: dict[str, Any] = _content()["services"][2]["engine"]


def test_a_recipe_that_is_not_there_is_no_recipe() -> None:
    with pytest.raises(KeyError):
        load_recipe("../../pyproject")


# Under the key of a service, further fields of its engine.
REFUSED_SPLIT: dict[str, tuple[dict[str, Any], str]] = {
    "a key that the engine does not have": ({"prefill": {"max_batchsize": 64}}, "max_batchsize"),
    "a number in quotes": ({"prefill": {"max_batch_size": "64"}}, "max_batch_size"),
    "fewer GPUs than the service has": (
        {"decode": {"tensor_parallel_size": 2}},
        "TrtllmDecodeWorker: 4 GPUs, but the engine's parallelism takes 2",
    ),
    "pipeline stages beyond the GPUs": (
        {"decode": {"pipeline_parallel_size": 2}},
        "TrtllmDecodeWorker: 4 GPUs, but the engine's parallelism takes 8",
    ),
    "context parallelism beyond the GPUs": (
        {"decode": {"context_parallel_size": 2}},
        "TrtllmDecodeWorker: 4 GPUs, but the engine's parallelism takes 8",
    ),
    "experts over three of four ranks": (
        {"decode": {"moe_expert_parallel_size": 3}},
        "moe_expert_parallel_size 3 must divide tensor_parallel_size 4",
    ),
    "a buffer that ends inside a block": (
        {"prefill": {"cache_transceiver_config": {"backend": "UCX", "max_tokens_in_buffer": 9000}}},
        "max_tokens_in_buffer 9000 must be a multiple of tokens_per_block 32",
    ),
    "no transceiver": (
        {"decode": {"cache_transceiver_config": None}},
        "prefill and decode workers both need cache_transceiver_config",
    ),
    "two number formats of the cache": (
        {"decode": {"kv_cache_config": {"dtype": "auto"}}},
        "KV cache of fp8 cannot be read by a decode worker with auto",
    ),
    "sequences of a prompt alone": (
        {"prefill": {"max_seq_len": 8192}},
        "8193 tokens of prompt and answer exceed the prefill worker's max_seq_len 8192",
    ),
    "two beams": (
        {"prefill": {"max_seq_len": None, "max_num_tokens": None, "max_beam_width": 2}},
        "max_beam_width 2: KV cache is transferred for one beam only; write 1",
    ),
    "a prompt longer than a step": (
        {"prefill": {"max_seq_len": None, "max_num_tokens": 4096}},
        "prompts of 8192 tokens exceed the 4096 tokens that the prefill worker admits",
    ),
    "blocks of two sizes": (
        {"decode": {"kv_cache_config": {"dtype": "fp8", "tokens_per_block": 64}}},
        "prefill and decode workers must use the same tokens_per_block, not 32 and 64",
    ),
    "no room for the answer": (
        {"decode": {"max_seq_len": 9000}},
        "9216 tokens of prompt and answer exceed the decode worker's max_seq_len",
    ),
    "an option written twice": (
        {"decode": {"extra": {"max_batch_size": 3}}},
        "extra repeats modelled options: max_batch_size",
    ),
    "kernels without the recipe's number format": (
        {"prefill": {"moe_config": {"backend": "TRITON"}}},
        "TRITON has no quantization method for W4A8_MXFP4_MXFP8",
    ),
}
REFUSED_AGGREGATED: dict[str, tuple[dict[str, Any], str]] = {
    "a prompt longer than a step without chunks": (
        {"worker": {"max_num_tokens": 100, "enable_chunked_prefill": False}},
        "prompts of 128 tokens exceed the 100 tokens that the worker admits",
    ),
    "no room for the answer": (
        {"worker": {"max_seq_len": 1000}},
        "1128 tokens of prompt and answer exceed the worker's max_seq_len 1000",
    ),
    "kernels without a bias": (
        {"worker": {"moe_config": {"backend": "WIDEEP"}}},
        "WIDEEP adds no bias to its experts",
    ),
    "kernels without expert parallelism": (
        {"worker": {"moe_config": {"backend": "TRITON"}}},
        "TRITON raises with expert parallelism above 1 on Blackwell",
    ),
    "a transfer of the cache": (
        {"worker": {"cache_transceiver_config": {"backend": "UCX"}}},
        "an aggregated worker hands no KV cache over",
    ),
}
# Fields of the recipe itself, and of its services by their roles.
REFUSED_FIELDS: dict[str, tuple[dict[str, Any], str]] = {
    "a branch for a revision": (
        {
            "model": load_recipe(AGGREGATED).model.model_dump(mode="json", by_alias=True)
            | {"revision": "main"}
        },
        "revision",
    ),
    "a format that the engine would ignore": (
        {"quantization": _content()["quantization"] | {"algorithm": "MXFP4"}},
        "W4A8_MXFP4_MXFP8",
    ),
    "a family without these kernels": (
        {"quantization": _content()["quantization"] | {"architectureFamilies": ["blackwell", "hopper"]}},
        "on hopper: TRTLLM is for Blackwell",
    ),
    "evidence of a GPU that cannot run it": ({"validatedOn": ["H200"]}, "H200 is hopper"),
    "evidence of a GPU that there is not": ({"validatedOn": ["GB20"]}, "GB20 is not one of"),
    "a frontend with a GPU": ({"frontend": {"gpus": 1}}, "Frontend: a frontend has no engine and no GPUs"),
    "a frontend without resources": (
        {"frontend": {"resources": None}},
        "Frontend: a frontend needs resources",
    ),
    "a limit below the request": (
        {"frontend": {"resources": FRONTEND_RESOURCES | {"cpuLimit": 2}}},
        "cpuLimit 2 is below cpuRequest 4",
    ),
    "a worker with resources": (
        {"prefill": {"resources": FRONTEND_RESOURCES}},
        "TrtllmPrefillWorker: only a frontend has resources",
    ),
    "a worker without an engine": (
        {"prefill": {"engine": None}},
        "TrtllmPrefillWorker: a prefill worker needs engine options",
    ),
    "two services of one name": (
        {"decode": {"serviceName": "trtllmprefillworker"}},
        "service names must differ",
    ),
    "a role twice": ({"decode": {"role": "prefill"}}, "one frontend, one prefill and one decode"),
    "an aggregated worker beside prefill": (
        {"decode": {"role": "worker"}},
        "one frontend and one worker service, or",
    ),
    "a pipeline of gpt-oss": (
        {"decode": {"gpus": 8, "engine": ENGINE | {"pipeline_parallel_size": 2}}},
        "TrtllmDecodeWorker: pipeline_parallel_size 2: gpt-oss runs with 1 only",
    ),
    "experts that do not spread evenly": (
        {
            "decode": {
                "gpus": 6,
                "engine": ENGINE | {"tensor_parallel_size": 6, "moe_expert_parallel_size": 6},
            }
        },
        "moe_expert_parallel_size 6 must divide the model's 128 experts",
    ),
}


def _refusal(content: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as raised:
        parse_recipe(yaml.dump(content, Dumper=yaml.CSafeDumper))
    return str(raised.value)


@pytest.mark.parametrize(
    ("recipe", "changes", "said"),
    [
        pytest.param(recipe, *row, id=name)
        for recipe, rows in ((NAME, REFUSED_SPLIT), (AGGREGATED, REFUSED_AGGREGATED))
        for name, row in rows.items()
    ],
)
def test_an_engine_that_could_not_serve_is_refused(recipe: str, changes: dict[str, Any], said: str) -> None:
    content = _content(recipe)
    for service in content["services"]:
        if service["role"] in changes:
            service["engine"] |= changes[service["role"]]
    assert said in _refusal(content)


@pytest.mark.parametrize(
    ("changes", "said"), [pytest.param(*row, id=name) for name, row in REFUSED_FIELDS.items()]
)
def test_a_recipe_that_contradicts_itself_is_refused(changes: dict[str, Any], said: str) -> None:
    content = _content()
    for service in content["services"]:
        service.update(changes.get(service["role"], {}))
    content |= {key: value for key, value in changes.items() if key in content}
    assert said in _refusal(content)
