"""A command line of vLLM, read for a recipe."""

import json
from collections.abc import Sequence
from typing import Any, cast

import yaml

from engines.reading import Argument, ReadWorker, joined_options, own_options
from engines.vllm.command import MXFP8_VARIABLE
from engines.vllm.options import VllmOptions

_NOT_NEEDED = frozenset({"--config", "--quantization", "--is-prefill-worker", "--is-decode-worker"})
"""What follows from the model or the service's role, beside what every engine's command line has."""


class VllmReader:
    """The reader's protocol for vLLM; each method is documented there."""

    variables_of_the_recipe = frozenset({MXFP8_VARIABLE, "MODEL_PATH"})

    def read(self, arguments: Sequence[str]) -> ReadWorker:
        """A flag is an option under a dashed name."""
        options: dict[str, Any] = {}
        kept: list[Argument] = []
        for flag, value in own_options(arguments):
            name, is_off = _option(flag)
            if name in VllmOptions.model_fields:
                options[name] = not is_off if value is None else _value(value)
            elif flag not in _NOT_NEEDED:
                kept.append((flag, value))
        return ReadWorker(options, joined_options(kept))


def _option(flag: str) -> tuple[str, bool]:
    """Return the field's name, and whether the flag turns it off."""
    name = flag.lstrip("-").replace("-", "_")
    off = name.removeprefix("no_")
    is_off = off != name and name not in VllmOptions.model_fields
    return (off, True) if is_off else (name, False)


def _value(text: str) -> Any:
    try:
        return cast("object", json.loads(text))
    except ValueError:
        return yaml.safe_load(text)
