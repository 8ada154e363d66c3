"""Which checkpoint a worker loads, and whether its experts are in MXFP4.

Only a name tells: OpenAI's own repositories hold MXFP4 experts, a name with another format holds another one.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from engines import GPT_OSS_MODELS, ModelShape
from resource_graph import ResourceGraph
from rules.reading.commands.flags import Flags
from rules.reading.commands.start_script import TRTLLM_SERVE, VLLM_SERVE, StartCommand
from rules.reading.engines.models import read_gpt_oss
from rules.reading.pods.once_per_worker import once_per_worker
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

_FLAGS = ("--model", "--model-path", "--model_path")
_VARIABLES = ("DYN_TRTLLM_MODEL", "DYN_TRTLLM_MODEL_PATH")

_REPOSITORY = re.compile(r"([\w.-]+)/([\w.-]+)")
_HUB_FOLDER = re.compile(r"(?:^|/)models--([\w.-]{1,96}?)--([\w.-]{1,96}?)(?:/|$)")
_PUBLISHER = "openai"
_FAMILY = "gpt-oss"
_SAYS_NOTHING = re.compile(r"models?|checkpoints?|weights|[0-9a-f]{40}")
"""Folders of which any model may be the content."""
_OTHER_FORMAT = re.compile(r"fp4|fp8|bf16|fp16|int[48]|w4a|w8a|awq|gptq|gguf|bnb|[348]bit", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a worker loads."""

    text: str
    """As the command names it."""
    mxfp4: ModelShape | None
    """gpt-oss with its experts in MXFP4; None for a checkpoint that is something else."""


@once_per_worker
def read_checkpoint(_: ResourceGraph, worker: Worker) -> Checkpoint:
    """The checkpoint of the one engine that the worker starts.

    Raises:
        Undecided: it names none that is seen, or a name that does not tell what it holds.
    """
    command = next(iter(worker.commands), None)
    if command is None:
        raise Undecided("no engine is seen in command or args, so no checkpoint either")
    text = _model(command)
    if not text:
        raise Undecided("its command names no model")
    return Checkpoint(text, _mxfp4_model(text, served_as_gpt_oss=read_gpt_oss(worker) is not None))


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
    cached = _HUB_FOLDER.search(lowered)
    if cached is not None:
        return cached.group(1), cached.group(2)
    repository = _REPOSITORY.fullmatch(lowered)
    if repository is not None:
        return repository.group(1), repository.group(2)
    return None, PurePosixPath(lowered).name


def _model(command: StartCommand) -> str | None:
    flags = command.flags
    return _positional(command) or _flag(flags) or _variable(command)


def _flag(flags: Flags) -> str | None:
    for name in _FLAGS:
        given = flags.value(name)
        if given is not None:
            return given
    return None


def _positional(command: StartCommand) -> str | None:
    """`trtllm-serve MODEL`, `trtllm-serve serve MODEL`, `vllm serve MODEL`."""
    if command.engine not in {TRTLLM_SERVE, VLLM_SERVE}:
        return None
    words = command.arguments
    first = words[1:2] if words and words[0].text == "serve" else words[:1]
    if not first or first[0].text.startswith("-"):
        return None
    if not first[0].known:
        raise Undecided("the name of its model is unknown")
    return first[0].text


def _variable(command: StartCommand) -> str | None:
    for name in _VARIABLES:
        word = command.environment.get(name)
        if word is not None:
            if not word.known:
                raise Undecided(f"the value of the variable {name} is unknown")
            return word.text
    return None
