"""The model that a worker loads, under which name, its formats, and the KV cache: buffers and transfer.

Only a name tells the format: OpenAI's own repositories hold MXFP4 experts, a name with another format holds
another one.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import get_args

from engines.command_line import Count, Setting, variable_in
from engines.effective import Effective
from engines.memory import kv_bytes
from engines.models import (
    GPT_OSS_MODELS,
    KV_VALUE_BYTES,
    ModelLimits,
    ModelShape,
    in_hub_folder,
    model_limits,
)
from engines.tensorrt_llm.keys import DEFAULT_MAX_NUM_TOKENS, DEFAULT_TOKENS_PER_BLOCK
from engines.tensorrt_llm.options import TransceiverBackend
from hardware import TCP_FLOW_GBIT, TCP_GBIT, requests_per_second, transfer_seconds
from resource_graph import ResourceGraph
from rules.reading.commands.container_commands import (
    DYNAMO_SGLANG,
    DYNAMO_VLLM,
    TENSORRT_LLM,
    TRTLLM_SERVE,
    StartCommand,
)
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings, single_command
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, attempted, memoized

_MODEL_FLAGS = ("--model", "--model-path", "--model_path", "--served-model-name", "--served_model_name")
_MODEL_VARIABLES = ("DYN_TRTLLM_MODEL", "DYN_TRTLLM_SERVED_MODEL_NAME", "SERVED_MODEL_NAME")
_CHECKPOINT_FLAGS = ("--model", "--model-path", "--model_path")
_CHECKPOINT_VARIABLES = ("DYN_TRTLLM_MODEL", "DYN_TRTLLM_MODEL_PATH")
_REPOSITORY = re.compile(r"([\w.-]+)/([\w.-]+)")
_PUBLISHER = "openai"
_FAMILY = "gpt-oss"
PUBLISHED = frozenset(f"{_PUBLISHER}/{name}" for name in GPT_OSS_MODELS)
"""The repositories of the models, as their publisher calls them."""
_SAYS_NOTHING = re.compile(r"models?|checkpoints?|weights|[0-9a-f]{40}")
"""Names of folders that may hold any model."""
_OTHER_FORMAT = re.compile(r"fp4|fp8|bf16|fp16|int[48]|w4a|w8a|awq|gptq|gguf|bnb|[348]bit", re.IGNORECASE)
_NAMED_BY: Mapping[str, tuple[tuple[str, ...], ...]] = {
    TENSORRT_LLM: (("--served-model-name",), ("--model-path", "--model")),
    DYNAMO_VLLM: (("--served-model-name",), ("--model",)),
    DYNAMO_SGLANG: (("--served-model-name",), ("--model-path", "--model")),
    TRTLLM_SERVE: (("--served_model_name",),),
}
"""Engine -> the options that name what it serves, each group before the next."""
AUTO = "auto"
_SAME_FORMAT = {"fp8_e4m3": "fp8", "bf16": "bfloat16"}
"""Name of a format -> another name of the same format."""
_ATTENTION_OF_GPT_OSS = "bfloat16"
_TRANSCEIVER = "cache_transceiver_config"
TRANSCEIVER_BACKENDS: tuple[str, ...] = get_args(TransceiverBackend)
TRANSCEIVER_SETTING = "cache_transceiver_config.backend"
NIXL_PLUGIN = "TRTLLM_NIXL_KVCACHE_BACKEND"
"""Variable that chooses NIXL's plugin: UCX, the default, or LIBFABRIC."""
# DEFAULT takes the first of these that is 1, else NIXL (cpp/tensorrt_llm/batch_manager/cacheTransceiver.cpp).
_CHOICES: Mapping[str, str] = MappingProxyType(
    {
        "TRTLLM_USE_NIXL_KVCACHE": "NIXL",
        "TRTLLM_USE_UCX_KVCACHE": "UCX",
        "TRTLLM_USE_MOONCAKE_KVCACHE": "MOONCAKE",
        "TRTLLM_USE_MPI_KVCACHE": "MPI",
    }
)
PROMPT_TOKENS = 8_192
"""Tokens of a prompt in the benchmark of NVIDIA's disaggregated recipe for gpt-oss-120b."""


def read_gpt_oss(worker: Worker) -> ModelShape | None:
    """The gpt-oss model that the worker's command names, by path, repository or served name.

    None where it names another model, or none that is seen.
    """
    texts = [text.lower() for command in worker.commands for text in _names(command)]
    found = (shape for text in texts for name, shape in GPT_OSS_MODELS.items() if name in text)
    return next(found, None)


@memoized
def read_model_limits(_: ResourceGraph, worker: Worker) -> ModelLimits | None:
    """Heads, experts and positions of the model that the one engine of a worker loads; None for others."""
    names = _names(single_command(worker))
    return next((limits for limits in map(model_limits, names) if limits is not None), None)


@memoized
def read_mxfp4(_: ResourceGraph, worker: Worker) -> ModelShape | None:
    """The gpt-oss model with its experts in MXFP4 that a worker loads; None for any other checkpoint."""
    command = next(iter(worker.commands), None)
    if command is None:
        raise Undecided("no engine is seen in command or args, so no checkpoint either")
    text = checkpoint_name(command)
    if not text:
        raise Undecided("its command names no model")
    return _mxfp4_model(text, served_as_gpt_oss=read_gpt_oss(worker) is not None)


def checkpoint_name(command: StartCommand) -> str | None:
    """The path or repository that an engine is told to load; None where the command names none."""
    positional = command.model_word
    if positional is not None and not positional.known:
        raise Undecided("the name of its model is unknown")
    if positional is not None and positional.text:
        return positional.text
    given = command.flags.setting(*_CHECKPOINT_FLAGS)
    variables = (variable_in(command.environment, name) for name in _CHECKPOINT_VARIABLES)
    return (given.value if given else "") or next((text for text in variables if text is not None), None)


def served_name(worker: Worker) -> Setting | None:
    """The name by which requests ask for the worker's model; None where none is seen.

    Without a name of its own a Dynamo worker's is the model's path or repository. vLLM's own server may have
    several names and is not read here.
    """
    command = single_command(worker)
    given = (command.flags.setting(*names) for names in _NAMED_BY.get(command.engine, ()))
    return next((each for each in given if each is not None), None)


def read_kv_format(graph: ResourceGraph, worker: Worker) -> Setting | None:
    """The format that the worker is told to use; None for a worker of another engine."""
    if is_tensorrt_llm(worker):
        return read_settings(graph, worker).text("kv_cache_config", "dtype", default=AUTO)
    return read_settings(graph, worker).text("kv_cache_dtype", default=AUTO) if is_vllm(worker) else None


def effective_format(graph: ResourceGraph, worker: Worker, kv_format: Setting) -> str:
    """What the cache really holds, by one name for each format."""
    if kv_format.value != AUTO:
        return _SAME_FORMAT.get(kv_format.value) or str(kv_format.value)
    if read_mxfp4(graph, worker) is None:
        raise Undecided("its checkpoint decides the format of the KV cache")
    return _ATTENTION_OF_GPT_OSS


def transceiver_backend(settings: Effective) -> Setting | None:
    """The backend that is to move the cache; None without the setting, which switches the transfer off."""
    return settings.at(_TRANSCEIVER, "backend")


def transfer_buffer(settings: Effective) -> Count | None:
    """Tokens that a transfer buffer holds; None where the engine sizes the buffer by max_seq_len."""
    return settings.given_count(_TRANSCEIVER, "max_tokens_in_buffer")


def tokens_per_block(settings: Effective) -> Count:
    """Tokens of one block of the KV cache."""
    return settings.count("kv_cache_config", "tokens_per_block", default=DEFAULT_TOKENS_PER_BLOCK)


def longest_sequence(settings: Effective, model: ModelShape | None) -> Count:
    """Tokens of prompt and answer together that the engine admits."""
    given = settings.given_count("max_seq_len")
    if given is not None:
        return given
    if model is None:
        raise Undecided("max_seq_len is not set, and nothing here says how long the model's sequences are")
    return Count(model.max_positions, f"the length that {model.name} was made for")


def longest_prompt(settings: Effective, model: ModelShape | None) -> Count:
    """Tokens of the longest prompt that the engine admits.

    It leaves room for one token of an answer. Without chunked prefill it has to fit in one step.
    """
    if settings.switch("enable_chunked_prefill"):
        return _before_an_answer(longest_sequence(settings, model))
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if settings.at("max_seq_len") is None and model is None:
        return step
    prompt = _before_an_answer(longest_sequence(settings, model))
    return min(prompt, step, key=lambda count: count.value)


def effective_backend(graph: ResourceGraph, worker: Worker) -> str | None:
    """The library that moves the cache; None without a backend, or for an unknown value."""
    written = transceiver_backend(read_settings(graph, worker))
    if written is None or written.value not in TRANSCEIVER_BACKENDS:
        return None
    if written.value != "DEFAULT":
        return str(written.value)
    return next((backend for name, backend in _CHOICES.items() if worker.variable(name) == "1"), "NIXL")


def cost_over_tcp(graph: ResourceGraph, worker: Worker) -> str:
    """Bytes of one prompt's KV cache, their time on the wire and the ceiling, for a message."""
    unknown = "how many bytes that are is not known: "
    model = read_gpt_oss(worker)
    if model is None:
        return f"{unknown}{worker.name} names no model whose layers are known here"
    kv_format = attempted(_known_format, graph, worker)
    if isinstance(kv_format, Undecided):
        return f"{unknown}{kv_format}"
    payload = round(kv_bytes(model, PROMPT_TOKENS, KV_VALUE_BYTES[kv_format]))
    return (
        f"a prompt of {PROMPT_TOKENS:,} tokens is {payload:,} bytes of KV cache ({model.name}, {kv_format}): "
        f"{transfer_seconds(payload, TCP_GBIT):.3f} s between machines on a pod network of "
        f"{TCP_GBIT:.0f} Gbit/s, so at most {requests_per_second(payload, TCP_GBIT):.1f} prompts a second, "
        f"{requests_per_second(payload, TCP_FLOW_GBIT):.1f} over one TCP flow of {TCP_FLOW_GBIT:.0f} Gbit/s "
        "(computed, not measured)"
    )


def _names(command: StartCommand) -> list[str]:
    by_flag = (flag.value for flag in command.flags.all if flag.name in _MODEL_FLAGS)
    seen = (*by_flag, command.model_word, *map(command.environment.get, _MODEL_VARIABLES))
    return [word.text for word in seen if word is not None and word.known and word.text]


def _mxfp4_model(text: str, *, served_as_gpt_oss: bool) -> ModelShape | None:
    owner, name = _repository(text)
    model = GPT_OSS_MODELS.get(name)
    if model is not None and owner in {None, _PUBLISHER}:
        return model
    if _FAMILY in name and _OTHER_FORMAT.search(name.replace("mxfp4", "")):
        return None
    if _FAMILY not in name and not served_as_gpt_oss and not _SAYS_NOTHING.fullmatch(name):
        return None
    raise Undecided(f"the name {text} does not tell whether its experts are in MXFP4")


def _repository(text: str) -> tuple[str | None, str]:
    """Owner and name in small letters; no owner for a plain folder."""
    lowered = text.lower().rstrip("/")
    folder, repository = in_hub_folder(lowered), _REPOSITORY.fullmatch(lowered)
    if folder is not None:
        return folder[:2]
    return (None, PurePosixPath(lowered).name) if repository is None else (repository[1], repository[2])


def _before_an_answer(sequence: Count) -> Count:
    return Count(sequence.value - 1, f"{sequence.source}, less one token of an answer")


def _known_format(graph: ResourceGraph, worker: Worker) -> str:
    kv_format = read_kv_format(graph, worker)
    name = "unknown" if kv_format is None else effective_format(graph, worker, kv_format)
    if name not in KV_VALUE_BYTES:
        raise Undecided(f"nothing here says how large KV cache of format {name} is")
    return name
