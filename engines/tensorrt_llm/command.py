"""What a worker gets of its options: a command line, environment variables and an engine file."""

import shlex
from collections.abc import Mapping
from types import MappingProxyType

import yaml

from engines.engine import WorkerStart
from engines.option_block import written
from engines.release import release_line
from engines.tensorrt_llm.options import EngineSettings

OLDER_NAMES: Mapping[tuple[int, int], Mapping[str, str]] = MappingProxyType(
    {(1, 2): MappingProxyType({"--publish-kv-events": "--publish-events-and-metrics"})}
)
"""Release line -> option as later lines call it -> as this one does.

PyPI packages ai-dynamo 1.2.1, 1.3.1, 1.4.2 and 1.6.1, dynamo/trtllm/backend_args.py: one setting until 1.5;
from 1.6 on --publish-metrics is an option of its own.
"""

# Absent and null differ for these alone: absent is the engine's default, null is off.
_NULL_IS_OFF = frozenset({"cuda_graph_config"})


def engine_file(options: EngineSettings) -> str:
    """Return the engine file as YAML with sorted keys, the same text for the same options.

    The ConfigMap's name is derived from this text: an order that depended on the interpreter would restart
    every worker.
    """
    return yaml.safe_dump(written(options, _NULL_IS_OFF), sort_keys=True, default_flow_style=False)


def command_line(start: WorkerStart) -> str:
    """Return the shell command of a worker; MODEL_PATH and ENGINE_ARGS come from its environment.

    The engine file wins over flags, so nothing that is in the file is repeated as a flag.
    """
    older = OLDER_NAMES.get(release_line(start.runtime_version), {})
    words = [older.get(word, word) for word in start.arguments]
    parts = [
        "python3 -m dynamo.trtllm",
        '--model-path "$MODEL_PATH"',
        f'--served-model-name "{start.served_name}"',
        '--extra-engine-args "$ENGINE_ARGS"',
    ]
    if start.role != "worker":
        # An aggregated worker runs in the flag's default, prefill_and_decode; `agg`, the default of later
        # releases, is refused by 1.2.
        parts.append(f"--disaggregation-mode {start.role}")
    return " ".join([*parts, shlex.join(words)] if words else parts)


def environment(start: WorkerStart) -> dict[str, str]:
    """Return the variables that the command line and the engine read."""
    return {
        **algorithm_environment(start.algorithm),
        "SERVED_MODEL_NAME": start.served_name,
        "ENGINE_ARGS": start.engine_file_path,
        "MODEL_PATH": start.model_path,
    }


def algorithm_environment(algorithm: str | None) -> dict[str, str]:
    """Return the variable that names the number formats of the experts; none for the engine's default."""
    # For an MXFP4 checkpoint Blackwell's own default; named so that a new default changes nothing.
    return {} if algorithm is None else {"OVERRIDE_QUANT_ALGO": algorithm}
