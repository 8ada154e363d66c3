"""TensorRT-LLM behind `python3 -m dynamo.trtllm`: typed options -> command line, environment, engine file.

`options` holds what may be set; `blocks` its nested parts; `command` what a worker gets of it.
"""

from recipes.tensorrt_llm.blocks import BACKENDS_WITH_FIXED_BUFFERS, TransceiverBackend
from recipes.tensorrt_llm.command import (
    BACKEND_FRAMEWORK,
    WorkerRole,
    command_line,
    engine_file,
    environment,
)
from recipes.tensorrt_llm.options import EngineSettings, QuantizationAlgorithm, TensorRtLlmOptions

__all__ = [
    "BACKENDS_WITH_FIXED_BUFFERS",
    "BACKEND_FRAMEWORK",
    "EngineSettings",
    "QuantizationAlgorithm",
    "TensorRtLlmOptions",
    "TransceiverBackend",
    "WorkerRole",
    "command_line",
    "engine_file",
    "environment",
]
