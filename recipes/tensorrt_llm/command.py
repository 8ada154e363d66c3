"""What a worker gets of its options: a command line, environment variables and an engine file."""

import shlex
from collections.abc import Sequence
from typing import Any, Literal, cast

import yaml

from recipes.tensorrt_llm.blocks import EngineBlock
from recipes.tensorrt_llm.options import EngineSettings

BACKEND_FRAMEWORK = "trtllm"
"""What the graph's spec.backendFramework calls this engine."""

WorkerRole = Literal["prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""

# Absent and null differ for these alone: absent is the engine's default, null is off.
_NULL_IS_OFF = frozenset({"cuda_graph_config"})


def engine_file(options: EngineSettings) -> str:
    """Return the engine file as YAML with sorted keys, the same text for the same options.

    It holds what was written and nothing else, so the engine's defaults stay the engine's. The ConfigMap's
    name is derived from this text: an order that depended on the interpreter would restart every worker.
    """
    return yaml.safe_dump(_written(options), sort_keys=True, default_flow_style=False)


def command_line(*, served_name: str, role: WorkerRole, arguments: Sequence[str]) -> str:
    """Return the shell command of a worker; MODEL_PATH and ENGINE_ARGS come from its environment.

    The engine file wins over flags, so nothing that is in the file is repeated as a flag.
    """
    parts = [
        "python3 -m dynamo.trtllm",
        '--model-path "$MODEL_PATH"',
        f'--served-model-name "{served_name}"',
        '--extra-engine-args "$ENGINE_ARGS"',
    ]
    if role != "worker":
        # An aggregated worker runs in the flag's default, prefill_and_decode; `agg`, the default of later
        # releases, is refused by 1.2.
        parts.append(f"--disaggregation-mode {role}")
    return " ".join([*parts, shlex.join(arguments)] if arguments else parts)


def environment(
    *, served_name: str, engine_file_path: str, model_path: str, quantization_algorithm: str | None
) -> dict[str, str]:
    """Return the variables that the command line and the engine read."""
    variables = {
        "SERVED_MODEL_NAME": served_name,
        "ENGINE_ARGS": engine_file_path,
        "MODEL_PATH": model_path,
    }
    if quantization_algorithm is None:
        return variables
    # For an MXFP4 checkpoint Blackwell's own default; named so that a new default changes nothing.
    return {"OVERRIDE_QUANT_ALGO": quantization_algorithm} | variables


def _written(block: EngineBlock) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for name in type(block).model_fields:
        if name == "extra" or name not in block.model_fields_set:
            continue
        value: Any = getattr(block, name)
        if value is None and name not in _NULL_IS_OFF:
            continue
        written[name] = _plain(value)
    return written | dict(block.extra)


def _plain(value: Any) -> Any:
    if isinstance(value, EngineBlock):
        return _written(value)
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
