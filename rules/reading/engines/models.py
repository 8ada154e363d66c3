"""Which model a worker loads, under which name, and whether its experts are in MXFP4.

Only a name tells: OpenAI's own repositories hold MXFP4 experts, a name with another format holds another one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from engines.command_line import variable_in
from engines.models import GPT_OSS_MODELS, ModelLimits, ModelShape, in_hub_folder, model_limits
from engines.written_values import Setting
from resource_graph import ResourceGraph
from rules.reading.commands.container_commands import (
    DYNAMO_SGLANG,
    DYNAMO_VLLM,
    TENSORRT_LLM,
    TRTLLM_SERVE,
    StartCommand,
)
from rules.reading.engines.settings import single_command
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, memoized

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


def names_a_model(worker: Worker) -> bool:
    """Whether the command names any model to serve."""
    return any(_names(command) for command in worker.commands)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a worker loads."""

    text: str
    """The model as the command names it."""
    mxfp4: ModelShape | None
    """The gpt-oss model with its experts in MXFP4; None for any other checkpoint."""


@memoized
def read_checkpoint(_: ResourceGraph, worker: Worker) -> Checkpoint:
    """The checkpoint of the one engine that the worker starts."""
    command = next(iter(worker.commands), None)
    if command is None:
        raise Undecided("no engine is seen in command or args, so no checkpoint either")
    text = checkpoint_name(command)
    if not text:
        raise Undecided("its command names no model")
    return Checkpoint(text, _mxfp4_model(text, served_as_gpt_oss=read_gpt_oss(worker) is not None))


def checkpoint_name(command: StartCommand) -> str | None:
    """The path or repository that an engine is told to load; None where the command names none."""
    positional = command.model_word
    if positional is not None and not positional.known:
        raise Undecided("the name of its model is unknown")
    if positional is not None and positional.text:
        return positional.text
    _, flag = command.flags.option(_CHECKPOINT_FLAGS)
    variables = (variable_in(command.environment, name) for name in _CHECKPOINT_VARIABLES)
    return flag or next((text for text in variables if text is not None), None)


def served_name(worker: Worker) -> Setting | None:
    """The name by which requests ask for the worker's model; None where none is seen.

    Without a name of its own a Dynamo worker's is the model's path or repository. vLLM's own server may have
    several names and is not read here.
    """
    command = single_command(worker)
    for names in _NAMED_BY.get(command.engine, ()):
        flag, text = command.flags.option(names)
        if text is not None:
            return Setting(text, flag)
    return None


def _names(command: StartCommand) -> list[str]:
    names: list[str] = []
    words = [word.text if word.known else "" for word in command.arguments]
    for index, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag in _MODEL_FLAGS:
            names.append(value if equals else "".join(words[index + 1 : index + 2]))
    seen = (command.model_word, *map(command.environment.get, _MODEL_VARIABLES))
    names += [word.text for word in seen if word is not None and word.known]
    return [name for name in names if name]


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
