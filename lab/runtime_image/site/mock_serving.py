"""What a worker of any engine does in a lab container once its command line is read: serve as a mock."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

_SPEED = "LAB_MOCK_SPEED"
"""Variable of the pod: how many times as fast as the mock's own profile; 1.2.1 takes 0 for 1 (measured)."""
_BLOCKS = "16384"
"""Blocks of the mock's KV cache: the lab knows no GPU memory that a fraction could be taken of."""
_MOCK = Path(__file__).with_name("mock_worker.py")


def serve(config: Any, model: Path, mode: str, options: dict[str, object]) -> None:
    """Replace this process by the mock.

    Args:
        config: what the runtime's own parser made of the command line.
        model: the folder of the model.
        mode: agg, prefill or decode.
        options: of the mock, beside those that every worker has.
    """
    served = config.served_model_name or str(model)
    print(f"lab: no GPU here, so dynamo.mocker serves {served} ({mode})", file=sys.stderr, flush=True)
    all_options = {
        "--model-path": model,
        "--model-name": served,
        # The mock calls itself a backend, as vLLM does; TensorRT-LLM's workers have another name.
        "--endpoint": f"dyn://{config.namespace}.{config.component}.{config.endpoint}",
        "--disaggregation-mode": mode,
        "--num-gpu-blocks-override": _BLOCKS,
        "--speedup-ratio": os.environ.get(_SPEED, "1"),
        **options,
    }
    words = [str(word) for option in all_options.items() for word in option]
    os.execv(sys.executable, [sys.executable, str(_MOCK), *words])  # noqa: S606 - no shell is wanted


def model_folder(path: str, flag: str) -> Path:
    """Return the folder of the model that a worker was given, or end with what the engine would say."""
    file = Path(path) / "config.json"
    try:
        json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        sys.exit(f"OSError: {path} has no config.json: the model is not where {flag} says")
    except ValueError as error:
        sys.exit(f"{file} is no JSON: {error}")
    return file.parent
