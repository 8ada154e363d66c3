"""What vLLM refuses of gpt-oss, and where the roles of one graph contradict each other."""

from typing import Any

import pytest

from engines.engine import ModelUse
from engines.vllm.engine import Vllm
from engines.vllm.options import VllmOptions

NIXL = {"kv_connector": "NixlConnector", "kv_role": "kv_both"}
EAGLE = {"method": "eagle3", "model": "nvidia/gpt-oss-120b-Eagle3-v3", "num_speculative_tokens": 3}


def _options(**options: Any) -> VllmOptions:
    return VllmOptions.model_validate({"tensor_parallel_size": 1, "max_num_seqs": 256} | options)


def _use(*families: Any, algorithm: Any = None, prompt: int = 64_000) -> ModelUse:
    return ModelUse(
        experts=128,
        positions=131_072,
        prompt_tokens=prompt,
        answer_tokens=400,
        algorithm=algorithm,
        families=families or ("blackwell",),
    )


def _refused(use: ModelUse, **options: Any) -> str:
    return "; ".join(Vllm().refusals(_options(**options), use))


def _contradicted(prompt: int = 64_000, **roles: VllmOptions) -> str:
    return "; ".join(Vllm().contradictions(roles, _use(prompt=prompt)))  # pyright: ignore[reportArgumentType]


def test_a_sound_worker_is_refused_for_nothing() -> None:
    for family in ("blackwell", "hopper"):
        assert _refused(_use(family), max_num_batched_tokens=32768, kv_cache_dtype="fp8") == ""
    assert _refused(_use("blackwell", algorithm="W4A8_MXFP4_MXFP8")) == ""


@pytest.mark.parametrize(
    ("backend", "family", "without"),
    [
        ("flashinfer_cutlass", "blackwell", "B200"),
        ("flashinfer_trtllm", "hopper", "H200"),
        ("triton", "ampere", "A100"),
    ],
)
def test_kernels_of_another_gpu_are_refused(backend: str, family: Any, without: str) -> None:
    refused = _refused(_use(family), moe_backend=backend)
    assert f"moe_backend {backend} has its kernels on" in refused
    assert without in refused.partition("not on ")[2]


def test_a_backend_that_would_ignore_the_algorithm_is_refused_beside_it() -> None:
    refused = _refused(_use(algorithm="W4A8_MXFP4_MXFP8"), moe_backend="flashinfer_trtllm")
    assert "moe_backend flashinfer_trtllm takes the experts' activations in BF16" in refused
    assert "vLLM has no W4A8_MXFP4_FP8" in _refused(_use(algorithm="W4A8_MXFP4_FP8"))


def test_sizes_with_which_the_engine_ends_at_start_are_refused() -> None:
    assert "max_model_len 200000 exceeds the 131072 positions" in _refused(_use(), max_model_len=200_000)
    whole = _refused(_use(), enable_chunked_prefill=False)
    assert "max_num_batched_tokens 8192 is less than max_model_len 131072" in whole
    assert _refused(_use(), enable_chunked_prefill=False, max_num_batched_tokens=131_072) == ""
    spread = _refused(_use(), enable_expert_parallel=True, tensor_parallel_size=3)
    assert "enable_expert_parallel: 3 GPUs must divide the model's 128 experts" in spread


def test_structured_output_is_refused_beside_a_draft_model() -> None:
    asked = {"extra": {"structured_outputs_config": {"backend": "xgrammar"}}}
    assert "structured output may be no JSON" in _refused(_use(), speculative_config=EAGLE, **asked)
    assert _refused(_use(), **asked) == ""
    assert _refused(_use(), speculative_config=EAGLE) == ""


def test_prompts_and_answers_fit_each_role() -> None:
    short = _options(max_model_len=64_200, kv_transfer_config=NIXL)
    alone = _contradicted(worker=_options(max_model_len=64_200))
    assert alone == "64400 tokens of prompt and answer exceed the worker's max_model_len 64200"
    # A prefill worker makes the first token of an answer alone.
    both = _contradicted(prefill=short, decode=short)
    assert "decode worker's max_model_len" in both
    assert "prefill worker's" not in both


@pytest.mark.parametrize(
    ("prefill", "decode", "said"),
    [
        ({}, NIXL, "both need kv_transfer_config with kv_connector NixlConnector"),
        (NIXL, {"kv_connector": "SimpleCPUOffloadConnector", "kv_role": "kv_both"}, "both need"),
    ],
)
def test_workers_that_do_not_meet_are_refused(
    prefill: dict[str, Any], decode: dict[str, Any], said: str
) -> None:
    roles = {
        "prefill": _options(**({"kv_transfer_config": prefill} if prefill else {})),
        "decode": _options(kv_transfer_config=decode),
    }
    assert said in _contradicted(**roles)


@pytest.mark.parametrize(
    ("differing", "said"),
    [
        ({"kv_cache_dtype": "fp8"}, "KV cache of auto cannot be read by a decode worker with fp8"),
        ({"block_size": 64}, "the same block_size, not None and 64"),
        ({"speculative_config": EAGLE}, "the same speculative_config.model"),
    ],
)
def test_caches_that_differ_are_refused(differing: dict[str, Any], said: str) -> None:
    prefill = _options(kv_transfer_config=NIXL)
    assert _contradicted(prefill=prefill, decode=prefill) == ""
    assert said in _contradicted(prefill=prefill, decode=_options(kv_transfer_config=NIXL, **differing))


def test_an_aggregated_worker_may_move_its_cache_to_the_host_and_hands_none_over() -> None:
    offloaded = _options(
        kv_transfer_config={"kv_connector": "SimpleCPUOffloadConnector", "kv_role": "kv_both"}
    )
    assert _contradicted(worker=offloaded) == ""
    assert "hands no KV cache over" in _contradicted(worker=_options(kv_transfer_config=NIXL))
