"""Somebody's own command line of TensorRT-LLM, read for a recipe."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import yaml

from engines.reading import Argument, ReadWorker, common_options, joined_options
from engines.tensorrt_llm.command import OLDER_NAMES
from engines.tensorrt_llm.flags import ENGINE_FLAGS, FILE_FLAG

_ALGORITHM = "OVERRIDE_QUANT_ALGO"
_FROM_THE_RECIPE = frozenset({_ALGORITHM, "SERVED_MODEL_NAME", "ENGINE_ARGS", "MODEL_PATH"})
"""Variables that a worker's own command line gets from the recipe (engines/tensorrt_llm/command.py)."""
_NEWER_NAMES = {older: newer for names in OLDER_NAMES.values() for newer, older in names.items()}


class TensorRtLlmReader:
    """The reader's protocol for TensorRT-LLM; each method is documented there."""

    file_flags: tuple[str, ...] = (FILE_FLAG,)

    def read(
        self, arguments: Sequence[str], file: Mapping[str, Any], environment: Mapping[str, str]
    ) -> ReadWorker:
        """Flags become options where the file has none: the engine applies the file after them."""
        common = common_options(arguments)
        kept = ((_NEWER_NAMES.get(flag, flag), value) for flag, value in common.rest if not _is_option(flag))
        return ReadWorker(
            model=common.model,
            served_name=common.served_name,
            mode=common.mode,
            options=_with_flags(file, common.rest),
            moved=tuple(dict.fromkeys(flag for flag, _ in common.rest if flag in ENGINE_FLAGS)),
            arguments=joined_options(tuple(kept)),
            environment={name: value for name, value in environment.items() if name not in _FROM_THE_RECIPE},
            algorithm=environment.get(_ALGORITHM),
        )


def _is_option(flag: str) -> bool:
    return flag == FILE_FLAG or flag in ENGINE_FLAGS


def _with_flags(file: Mapping[str, Any], given: Sequence[Argument]) -> dict[str, Any]:
    options: dict[str, Any] = {**file}
    for flag, value in dict(given).items():
        if flag not in ENGINE_FLAGS:
            continue
        *blocks, name = ENGINE_FLAGS[flag].setting
        # Only kv_cache_config is merged key by key; any other value of the file takes the flag's place.
        inner = options
        for key in blocks:
            inner[key] = dict(cast("Mapping[str, Any]", inner.get(key) or {}))
            inner = inner[key]
        inner.setdefault(name, True if value is None else yaml.safe_load(value))
    return options
