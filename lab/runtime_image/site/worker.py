"""`python3 -m dynamo.trtllm` in a container of the lab: read everything as the worker would, then serve as a mock.

The runtime's own parser judges the command line. The model's folder and the engine's file are read; what the real
engine needs to start and the lab can know is demanded here, with the engine's own words where it has some.
"""

import json
import os
import sys
from pathlib import Path

import yaml

_SPEED = "LAB_MOCK_SPEED"
_DEFAULT_TOKENS_PER_BLOCK = 32
"""TensorRT-LLM's KvCacheConfig.tokens_per_block (tensorrt_llm/llmapi/llm_args.py of 1.3)."""
_DEFAULT_MAX_BATCH_SIZE = 2048
_DEFAULT_MAX_NUM_TOKENS = 8192
_BLOCKS = "16384"
"""Blocks of the mock's KV cache. The lab knows no GPU memory that a fraction could be taken of."""


def main() -> None:
    from dynamo.trtllm.args import parse_args

    config = parse_args(sys.argv[1:])
    engine = _engine_options(config.extra_engine_args)
    model = _model_folder(config)
    mode = getattr(config.disaggregation_mode, "value", config.disaggregation_mode)
    print(
        f"lab: no GPU here: dynamo.mocker serves {config.served_model_name} as {mode}",
        file=sys.stderr,
        flush=True,
    )
    command = [sys.executable, "-m", "dynamo.mocker", "--model-path", str(model)]
    command += ["--model-name", config.served_model_name or str(model)]
    command += ["--disaggregation-mode", {"prefill_and_decode": "agg"}.get(mode, mode)]
    command += [
        "--block-size",
        str(_number(engine, "kv_cache_config", "tokens_per_block") or _DEFAULT_TOKENS_PER_BLOCK),
    ]
    command += ["--max-num-seqs", str(_number(engine, "max_batch_size") or _DEFAULT_MAX_BATCH_SIZE)]
    command += ["--max-num-batched-tokens", str(_number(engine, "max_num_tokens") or _DEFAULT_MAX_NUM_TOKENS)]
    command += ["--num-gpu-blocks-override", _BLOCKS, "--speedup-ratio", os.environ.get(_SPEED, "1")]
    os.execv(sys.executable, command)


def _engine_options(path):
    if not path:
        return {}
    try:
        options = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        sys.exit(f"FileNotFoundError: [Errno 2] No such file or directory: {path!r} (--extra-engine-args)")
    except yaml.YAMLError as error:
        sys.exit(f"{path} (--extra-engine-args) is no YAML: {error}")
    if not isinstance(options, dict):
        sys.exit(f"{path} (--extra-engine-args) holds no mapping of options")
    return options


def _model_folder(config):
    folder = Path(config.model)
    file = folder / "config.json"
    try:
        json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        sys.exit(f"OSError: {config.model} has no config.json: the model is not where --model-path says")
    except ValueError as error:
        sys.exit(f"{file} is no JSON: {error}")
    return folder


def _number(options, *keys):
    value = options
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, int) else None


if __name__ == "__main__":
    main()
