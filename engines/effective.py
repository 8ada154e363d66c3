"""What a worker's command line and variables decide of its engine's options, read as a recipe has them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

import yaml

from engines.tensorrt_llm.flags import (
    DYNAMIC_PREFIX,
    EXTRA_ENGINE_ARGS,
    OPTIONS,
    OVERRIDE_ENGINE_ARGS,
)
from engines.tensorrt_llm.options import TensorRtLlmOptions
from engines.vllm.command import MXFP8_VARIABLE
from engines.vllm.options import VllmOptions

Argument = tuple[str, str | None]
"""An option with its value; None for a switch."""

# As the runtime's entry points have them in common (PyPI package ai-dynamo 1.2.1, argparse).
_OF_EVERY_ENGINE = frozenset({"--model-path", "--model", "--served-model-name", "--disaggregation-mode"})
# What follows from the model or the service's role, beside what every engine's command line has.
_NOT_NEEDED_BY_VLLM = frozenset({"--config", "--quantization", "--is-prefill-worker", "--is-decode-worker"})
_TENSORRT_LLM = OPTIONS["dynamo.trtllm"]
_TENSORRT_LLM_FLAGS = {flag: option.setting for option in _TENSORRT_LLM.values() for flag in option.flags}


@dataclass(frozen=True, slots=True)
class ReadWorker:
    """What one worker is started with, beside the model, its name and the mode."""

    options: Mapping[str, Any]
    """Engine options, as a recipe would have them."""
    arguments: tuple[str, ...]
    """Flags that a recipe keeps as they are."""


@dataclass(frozen=True, slots=True)
class CommandReader:
    """Reads what starts one engine's workers."""

    read: Callable[[Sequence[str]], ReadWorker]
    """Takes the words after the engine's module."""
    variables_of_the_recipe: frozenset[str]
    """Variables that the recipe sets where the engine needs them; nobody types them beside it."""
    option_variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variable -> path of the engine option that it sets; empty where it may set any."""


def split_options(arguments: Sequence[str]) -> Iterator[Argument]:
    """Yield the options of a command line: `--name value`, `--name=value`, or a switch."""
    name: str | None = None
    for word in arguments:
        # A single dash before a digit is a negative number.
        if not word.startswith("-") or word[1:2].isdigit():
            if name is not None:
                yield name, word
            name = None
            continue
        if name is not None:
            yield name, None
        option, equals, value = word.partition("=")
        name = None if equals else option
        if equals:
            yield option, value
    if name is not None:
        yield name, None


def joined_options(options: Sequence[Argument]) -> tuple[str, ...]:
    """Return options as the words of a command line."""
    return tuple(word for option in options for word in option if word is not None)


def _own_options(arguments: Sequence[str]) -> Iterator[Argument]:
    return (each for each in split_options(arguments) if each[0] not in _OF_EVERY_ENGINE)


def _read_tensorrt_llm(arguments: Sequence[str]) -> ReadWorker:
    """Flags that the engine's file can say are options; the recipe writes that file, and nothing over it."""
    options: dict[str, Any] = {}
    kept: list[Argument] = []
    for flag, value in _own_options(arguments):
        path = _TENSORRT_LLM_FLAGS.get(flag) or tuple(flag.removeprefix(DYNAMIC_PREFIX).split("."))
        if path[0] in TensorRtLlmOptions.model_fields:
            *blocks, name = path
            inner = options
            for key in blocks:
                inner = inner.setdefault(key, {})
            inner[name] = True if value is None else yaml.safe_load(value)
        elif flag not in (*EXTRA_ENGINE_ARGS.flags, *OVERRIDE_ENGINE_ARGS.flags):
            kept.append((flag, value))
    return ReadWorker(options, joined_options(kept))


def _read_vllm(arguments: Sequence[str]) -> ReadWorker:
    """A flag is an option under a dashed name."""
    options: dict[str, Any] = {}
    kept: list[Argument] = []
    for flag, value in _own_options(arguments):
        name = flag.lstrip("-").replace("-", "_")
        is_off = name.startswith("no_") and name not in VllmOptions.model_fields
        name = name.removeprefix("no_") if is_off else name
        if name in VllmOptions.model_fields:
            options[name] = not is_off if value is None else _value(value)
        elif flag not in _NOT_NEEDED_BY_VLLM:
            kept.append((flag, value))
    return ReadWorker(options, joined_options(kept))


def _value(text: str) -> Any:
    try:
        return cast("object", json.loads(text))
    except ValueError:
        return yaml.safe_load(text)


TENSORRT_LLM_READER = CommandReader(
    _read_tensorrt_llm,
    frozenset({"OVERRIDE_QUANT_ALGO", "SERVED_MODEL_NAME", "ENGINE_ARGS", "MODEL_PATH"}),
    MappingProxyType(
        {
            option.variable: ".".join(option.setting)
            for option in (*_TENSORRT_LLM.values(), EXTRA_ENGINE_ARGS, OVERRIDE_ENGINE_ARGS)
            if option.variable is not None
        }
    ),
)
VLLM_READER = CommandReader(_read_vllm, frozenset({MXFP8_VARIABLE, "MODEL_PATH"}))
