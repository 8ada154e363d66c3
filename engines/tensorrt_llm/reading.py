"""A command line of TensorRT-LLM, read for a recipe."""

from collections.abc import Sequence
from typing import Any

import yaml

from engines.reading import Argument, ReadWorker, joined_options, own_options
from engines.tensorrt_llm.flags import ENGINE_FLAGS, FILE_FLAG


class TensorRtLlmReader:
    """The reader's protocol for TensorRT-LLM; each method is documented there."""

    variables_of_the_recipe = frozenset(
        {"OVERRIDE_QUANT_ALGO", "SERVED_MODEL_NAME", "ENGINE_ARGS", "MODEL_PATH"}
    )

    def read(self, arguments: Sequence[str]) -> ReadWorker:
        """Flags that the engine's file can say are options."""
        given = own_options(arguments)
        kept = [each for each in given if each[0] != FILE_FLAG and each[0] not in ENGINE_FLAGS]
        return ReadWorker(_options(given), joined_options(kept))


def _options(given: Sequence[Argument]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for flag, value in dict(given).items():
        if flag not in ENGINE_FLAGS:
            continue
        *blocks, name = ENGINE_FLAGS[flag].setting
        inner = options
        for key in blocks:
            inner = inner.setdefault(key, {})
        inner.setdefault(name, True if value is None else yaml.safe_load(value))
    return options
