"""`python3 -m dynamo.trtllm` in a container of the lab: read all that the worker would, then serve as a mock.

The runtime's own parser judges the command line. The model's folder and the engine's file are read; what the
real engine needs to start and the lab can know is demanded here.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import mock_serving
import yaml

_TOKENS_PER_BLOCK = 32
"""Default of TensorRT-LLM's KvCacheConfig.tokens_per_block (tensorrt_llm/llmapi/llm_args.py of 1.3)."""
_MAX_BATCH_SIZE = 2048
_MAX_NUM_TOKENS = 8192
"""Defaults of BuildConfig (tensorrt_llm/builder.py of 1.3)."""
_MODES = {"prefill_and_decode": "agg"}


def main() -> None:
    """Replace this process by the mock, or end with the worker's own message."""
    # Here, not above: the parser loads the whole runtime.
    from dynamo.trtllm.args import parse_args  # noqa: PLC0415  # pyright: ignore[reportMissingImports]

    config: Any = parse_args(sys.argv[1:])
    engine = _engine_options(config.extra_engine_args)
    model = mock_serving.model_folder(config.model, "--model-path")
    mode: str = config.disaggregation_mode.value
    options: dict[str, object] = {
        "--block-size": _number(engine, "kv_cache_config", "tokens_per_block") or _TOKENS_PER_BLOCK,
        "--max-num-seqs": _number(engine, "max_batch_size") or _MAX_BATCH_SIZE,
        "--max-num-batched-tokens": _number(engine, "max_num_tokens") or _MAX_NUM_TOKENS,
    }
    mock_serving.serve(config, model, _MODES.get(mode, mode), options)


def _engine_options(path: str) -> dict[str, Any]:
    if not path:
        return {}
    try:
        options = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        sys.exit(f"FileNotFoundError: [Errno 2] No such file or directory: '{path}' (--extra-engine-args)")
    except yaml.YAMLError as error:
        sys.exit(f"{path} (--extra-engine-args) is no YAML: {error}")
    if not isinstance(options, dict):
        sys.exit(f"{path} (--extra-engine-args) holds no mapping of options")
    return options


def _number(options: dict[str, Any], *keys: str) -> int | None:
    value: Any = options
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, int) else None


if __name__ == "__main__":
    main()
