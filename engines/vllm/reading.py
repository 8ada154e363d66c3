"""Somebody's own command line of vLLM, read for a recipe."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import yaml

from engines.reading import Argument, ReadWorker, common_options, joined_options
from engines.vllm.command import MXFP8_VARIABLE
from engines.vllm.options import VllmOptions

_FILE = "--config"
_FROM_THE_RECIPE = frozenset({MXFP8_VARIABLE, "MODEL_PATH"})
_NOT_NEEDED = frozenset({_FILE, "--quantization", "--is-prefill-worker", "--is-decode-worker"})
"""What follows from the model or the service's role, beside what every engine's command line has."""
_MODES = {"--is-prefill-worker": "prefill", "--is-decode-worker": "decode"}


class VllmReader:
    """The reader's protocol for vLLM; each method is documented there."""

    file_flags: tuple[str, ...] = (_FILE,)

    def read(
        self, arguments: Sequence[str], file: Mapping[str, Any], environment: Mapping[str, str]
    ) -> ReadWorker:
        """A flag is an option under a dashed name; it acts before the file of --config."""
        common = common_options(arguments)
        options = {name.replace("-", "_"): value for name, value in file.items()}
        kept: list[Argument] = []
        for flag, value in common.rest:
            name, is_off = _option(flag)
            if name in VllmOptions.model_fields:
                options[name] = not is_off if value is None else _value(value)
            elif flag not in _NOT_NEEDED:
                kept.append((flag, value))
        mode = common.mode or next((_MODES[flag] for flag, _ in common.rest if flag in _MODES), None)
        return ReadWorker(
            model=common.model,
            served_name=common.served_name,
            mode=mode,
            options=options,
            moved=(),
            arguments=joined_options(kept),
            environment={name: value for name, value in environment.items() if name not in _FROM_THE_RECIPE},
            algorithm="W4A8_MXFP4_MXFP8" if environment.get(MXFP8_VARIABLE) == "1" else None,
        )


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
