"""What may be set of vLLM, what its workers get of it, and what of it gpt-oss or the other roles refuse."""

import json
import shlex
from collections import Counter
from typing import Any

import pytest
from pydantic import ValidationError

from engines.engine import ModelUse
from engines.models import GPT_OSS_MODELS
from engines.release import command_options, release_line
from engines.vllm.engine import Vllm
from engines.vllm.options import VllmOptions, VllmSettings
from tests.support.worker_starts import worker_start

LINES = ("1.2.1", "1.4.2")
OFFLOAD = {"kv_connector": "SimpleCPUOffloadConnector", "kv_role": "kv_both"}
NIXL = {"kv_connector": "NixlConnector", "kv_role": "kv_both"}
EAGLE = {"method": "eagle3", "model": "nvidia/gpt-oss-120b-Eagle3-v3", "num_speculative_tokens": 3}
EVENTS = {"enable_kv_cache_events": True, "endpoint": "tcp://*:20080"}


def _options(**options: Any) -> VllmOptions:
    return VllmOptions.model_validate({"tensor_parallel_size": 1, "max_num_seqs": 256} | options)


def _words(start: Any = None, **options: Any) -> list[str]:
    return shlex.split(Vllm().command_line(_options(**options), start or worker_start()))


def _refusal(**options: Any) -> str:
    with pytest.raises(ValidationError) as raised:
        _options(**options)
    return str(raised.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_num_batched_tokens": 32768}, "--max-num-batched-tokens 32768"),
        ({"gpu_memory_utilization": 0.9}, "--gpu-memory-utilization 0.9"),
        ({"enable_prefix_caching": True}, "--enable-prefix-caching"),
        ({"enable_prefix_caching": False}, "--no-enable-prefix-caching"),
        ({"extra": {"max_cudagraph_capture_size": 8}}, "--max-cudagraph-capture-size 8"),
        ({"extra": {"cudagraph_capture_sizes": [1, 2]}}, "--cudagraph-capture-sizes 1 2"),
        ({"extra": {"enforce_eager": True}}, "--enforce-eager"),
        ({"block_size": None}, ""),
    ],
)
def test_an_option_is_the_flag_of_its_name(options: dict[str, Any], words: str) -> None:
    assert Counter(_words(**options)) - Counter(_words()) == Counter(words.split())


def test_a_block_is_one_json_object_in_which_only_what_was_written_stands() -> None:
    words = _words(compilation_config={"pass_config": {"eliminate_noops": True}, "extra": {"mode": 3}})
    given = json.loads(words[words.index("--compilation-config") + 1])
    assert given == {"pass_config": {"eliminate_noops": True}, "mode": 3}


@pytest.mark.parametrize("role", ["prefill", "decode"])
def test_a_worker_that_does_half_of_the_work_is_told_which_half(role: Any) -> None:
    words = _words(worker_start(role=role))
    assert words[words.index("--disaggregation-mode") + 1] == role
    assert "--is-prefill-worker" not in words
    assert "--disaggregation-mode" not in _words()


def test_the_name_that_clients_ask_for_and_the_folder_of_the_model_are_given_once() -> None:
    command = Vllm().command_line(_options(), worker_start(served_name="openai/gpt-oss-120b"))
    assert command.startswith(
        'python3 -m dynamo.vllm --model "$MODEL_PATH" --served-model-name "openai/gpt-oss-120b" --'
    )
    assert Vllm().environment(worker_start()) == {"MODEL_PATH": "/m"}
    assert Vllm().engine_file(_options()) is None


@pytest.mark.parametrize("version", LINES)
def test_every_option_that_is_modelled_is_a_flag_of_every_release_line(version: str) -> None:
    published = command_options("dynamo.vllm")
    assert published
    flags = published.by_line[release_line(version)]
    options = set(VllmSettings.model_fields) - {"extra"}
    assert {f"--{name.replace('_', '-')}" for name in options} <= flags


@pytest.mark.parametrize(
    ("options", "gpus", "requests"),
    [
        ({}, 1, 256),
        ({"tensor_parallel_size": 4, "enable_expert_parallel": True}, 4, 256),
        ({"data_parallel_size": 2}, 2, 512),
        ({"tensor_parallel_size": 2, "pipeline_parallel_size": 2}, 4, 256),
    ],
)
def test_gpus_and_requests_follow_from_the_parallel_sizes(
    options: dict[str, Any], gpus: int, requests: int
) -> None:
    made = _options(**options)
    assert (made.gpus, made.concurrent_requests) == (gpus, requests)


def test_a_prompt_leaves_room_for_one_token_of_its_answer() -> None:
    assert _options(max_model_len=11000).longest_prompt(131_072) == 10_999
    assert _options().longest_prompt(131_072) == 131_071


@pytest.mark.parametrize(("dtype", "format_"), [(None, "auto"), ("bfloat16", "auto"), ("fp8_e4m3", "fp8")])
def test_the_cache_of_a_token_is_counted_in_the_format_that_the_flag_means(dtype: Any, format_: str) -> None:
    assert _options(kv_cache_dtype=dtype).kv_dtype == format_


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_num_seqs": None}, "max_num_seqs"),
        ({"max_batch_size": 64}, "Extra inputs are not permitted"),
        ({"quantization": "mxfp4"}, "for activations write quantization.algorithm"),
        ({"is_prefill_worker": True}, "it follows from the service's role"),
        ({"extra": {"connector": "nixl"}}, "write kv_transfer_config with a kv_connector"),
        ({"extra": {"block_size": 16}}, "extra repeats modelled options: block_size"),
        ({"max_num_seqs": 9000}, "max_num_batched_tokens 8192 must be at least max_num_seqs 9000"),
        ({"kv_events_config": EVENTS | {"endpoint": "tcp://127.0.0.1:20080"}}, "kv_events_config.endpoint"),
        (
            {"speculative_config": {"method": "eagle3", "num_speculative_tokens": 3}},
            "speculative_config.model",
        ),
        ({"kv_cache_dtype": "fp4"}, "kv_cache_dtype"),
        ({"compilation_config": {"max_capture": 1}}, "compilation_config.max_capture"),
    ],
)
def test_what_the_engine_would_end_with_is_refused(options: dict[str, Any], said: str) -> None:
    assert said in _refusal(**options)


@pytest.mark.parametrize(
    ("transfer", "gpus", "gib"),
    [
        (None, 1, 0),
        ({"kv_connector": "NixlConnector", "kv_role": "kv_both"}, 1, 0),
        (OFFLOAD, 4, 8),
        (OFFLOAD | {"kv_connector_extra_config": {"cpu_bytes_to_use": 20 * 2**30}}, 4, 20),
        (OFFLOAD | {"kv_connector_extra_config": {"cpu_bytes_to_use_per_rank": 20 * 2**30}}, 4, 80),
    ],
    ids=["none", "handed over", "nothing said", "of the engine", "of each rank"],
)
def test_kv_cache_in_host_memory_is_what_the_connector_is_told(transfer: Any, gpus: int, gib: int) -> None:
    options = _options(tensor_parallel_size=gpus, kv_transfer_config=transfer)
    assert options.host_cache_bytes == gib * 2**30


def _use(*families: Any, algorithm: Any = None, prompt: int = 64_000) -> ModelUse:
    return ModelUse(
        shape=GPT_OSS_MODELS["gpt-oss-120b"],
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
