"""What starts vLLM's workers: words of the command, the options that a worker gets, and its environment."""

import json
import shlex
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, cast

from engines.command_options import STORE_KV, CommandWords
from engines.engine import WorkerStart
from engines.option_block import written
from engines.release import ReleaseLine, release_line
from engines.vllm.options import VllmSettings

FIRST_LINE_WITH_ACTIVATION_OPTION = (1, 4)
"""First release line whose vLLM is told the number format of activations by an option.

vllm 0.20.1 reads a variable, which 0.26.0 and 0.31.0 do not have any more; there the default is bfloat16
(vllm/envs.py; vllm/model_executor/layers/fused_moe/oracle/mxfp4.py; vllm/config/quantization.py). Dynamo's
recipe for 1.3.1 sets the variable.
"""
MXFP8_VARIABLE = "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8"
_MXFP8_OPTION = {"moe": {"activation": "mxfp8"}}


def command_line(options: VllmSettings, start: WorkerStart) -> str:
    """Return the shell command of a worker; MODEL_PATH comes from its environment."""
    mode = [] if start.role == "worker" else ["--disaggregation-mode", start.role]
    flags = {**written(options), **_activations(start), **_speculation(options, start)}
    words = [word for name, value in flags.items() for word in _flag(name, value)]
    return " ".join(
        [
            "python3 -m dynamo.vllm",
            '--model "$MODEL_PATH"',
            f'--served-model-name "{start.served_name}"',
            shlex.join([*mode, *words, *start.arguments]),
        ]
    )


def environment(start: WorkerStart) -> dict[str, str]:
    """Return the variables that the command line and the engine read."""
    variables = {"MODEL_PATH": start.model_path}
    if _wants_mxfp8(start) and not _has_activation_option(start):
        variables[MXFP8_VARIABLE] = "1"
    return variables


def _activations(start: WorkerStart) -> dict[str, Any]:
    wanted = _wants_mxfp8(start) and _has_activation_option(start)
    return {"quantization_config": _MXFP8_OPTION} if wanted else {}


def _speculation(options: VllmSettings, start: WorkerStart) -> dict[str, Any]:
    """Name the draft model by its directory: offline a repository at a revision is not found by its name."""
    speculation = options.speculative_config
    if speculation is None:
        return {}
    directory = start.draft_directories[speculation.model]
    return {"speculative_config": {**written(speculation), "model": directory}}


def _wants_mxfp8(start: WorkerStart) -> bool:
    return start.algorithm == "W4A8_MXFP4_MXFP8"


def _has_activation_option(start: WorkerStart) -> bool:
    return release_line(start.runtime_version) >= FIRST_LINE_WITH_ACTIVATION_OPTION


def _flag(name: str, value: Any) -> Iterator[str]:
    dashed = name.replace("_", "-")
    if isinstance(value, bool):
        yield f"--{dashed}" if value else f"--no-{dashed}"
        return
    yield f"--{dashed}"
    if isinstance(value, Mapping):
        yield json.dumps(_plain(value), separators=(",", ":"))
    elif isinstance(value, list):
        yield from (str(item) for item in cast("list[object]", value))
    else:
        yield str(value)


def _plain(value: Any) -> Any:
    """Return a mapping as JSON takes it."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in cast("Mapping[str, Any]", value).items()}
    return value


COMMANDS: Mapping[str, CommandWords] = MappingProxyType(
    {
        "dynamo.vllm": CommandWords(
            removed={"--connector": "write --kv-transfer-config with a kv_connector", **STORE_KV},
            deprecated={
                "--is-prefill-worker": "write --disaggregation-mode prefill",
                "--is-decode-worker": "write --disaggregation-mode decode",
            },
            disaggregation_modes={
                (1, 0): ("agg", "prefill", "decode"),
                (1, 1): ("agg", "prefill", "decode", "encode"),
                (1, 3): ("agg", "pd", "prefill", "decode", "encode"),
            },
        )
    }
)
"""Command -> its words."""

OWN_IMAGES: Mapping[str, Mapping[ReleaseLine, ReleaseLine]] = MappingProxyType(
    {
        "vllm/vllm-openai": {
            (0, 20): (1, 2),
            (0, 23): (1, 3),
            (0, 26): (1, 4),
            (0, 28): (1, 5),
            (0, 31): (1, 6),
        }
    }
)
"""End of the engine's own repository -> its release -> the line of Dynamo that names the same release."""
