"""Every engine by the name that a recipe calls it by."""

from collections.abc import Mapping
from typing import Any, Literal

from engines.engine import Engine
from engines.release import ReleaseLine, release_line
from engines.tensorrt_llm.engine import TensorRtLlm, TrtllmServe
from engines.tensorrt_llm.options import TensorRtLlmOptions
from engines.vllm.engine import Vllm
from engines.vllm.options import VllmOptions

Framework = Literal["tensorrt-llm", "vllm"]
Options = TensorRtLlmOptions | VllmOptions
"""Options of a role, of any engine."""

# An engine takes its own options alone; a recipe is read with those of the engine that it names.
ENGINES: Mapping[Framework, Engine[Any]] = {"tensorrt-llm": TensorRtLlm(), "vllm": Vllm()}

EngineServer = TrtllmServe
"""A server of an engine's own, which needs nothing of Dynamo: there is one."""
ServerName = Literal["dynamo", "trtllm-serve"]
"""What answers requests: Dynamo's frontend before workers, or a server of the engine's own."""
ENGINE_SERVERS: Mapping[ServerName, EngineServer] = {"trtllm-serve": TrtllmServe()}
"""Every server that runs without Dynamo."""

WORKER_COMMANDS: Mapping[Framework, str] = {"tensorrt-llm": "dynamo.trtllm", "vllm": "dynamo.vllm"}
"""Engine -> module that starts its workers."""

ENGINE_IMAGES: Mapping[str, Mapping[str, ReleaseLine]] = {
    "tensorrt-llm/release": {own: release_line(named) for own, named in TrtllmServe.dynamo_releases.items()},
    "vllm/vllm-openai": {
        "0.20": (1, 2),
        "0.23": (1, 3),
        "0.26": (1, 4),
        "0.28": (1, 5),
        "0.31": (1, 6),
    },
}
"""End of an engine's own repository -> its release -> the line of Dynamo that names the same release."""
