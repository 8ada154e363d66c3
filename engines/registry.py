"""Every engine by the name that a recipe calls it by."""

from collections.abc import Mapping
from typing import Any, Literal

from engines.command_options import STORE_KV, CommandWords
from engines.engine import Engine
from engines.release import ReleaseLine, release_line
from engines.tensorrt_llm import flags as tensorrt_llm_words
from engines.tensorrt_llm.engine import TensorRtLlm
from engines.tensorrt_llm.options import TensorRtLlmOptions
from engines.tensorrt_llm.trtllm_serve import TrtllmServe
from engines.vllm import engine as vllm
from engines.vllm.options import VllmOptions

Framework = Literal["tensorrt-llm", "vllm"]
Options = TensorRtLlmOptions | VllmOptions
"""Options of a role, of any engine."""

# An engine takes its own options alone; a recipe is read with those of the engine that it names.
ENGINES: Mapping[Framework, Engine[Any]] = {"tensorrt-llm": TensorRtLlm(), "vllm": vllm.Vllm()}

EngineServer = TrtllmServe
"""A server of an engine's own, which needs nothing of Dynamo: there is one."""
ServerName = Literal["dynamo", "trtllm-serve"]
"""What answers requests: Dynamo's frontend before workers, or a server of the engine's own."""
ENGINE_SERVERS: Mapping[ServerName, EngineServer] = {"trtllm-serve": TrtllmServe()}
"""Every server that runs without Dynamo."""

WORKER_COMMANDS: Mapping[Framework, str] = {"tensorrt-llm": "dynamo.trtllm", "vllm": "dynamo.vllm"}
"""Engine -> module that starts its workers."""

COMMANDS: Mapping[str, CommandWords] = {
    "dynamo.frontend": CommandWords(removed=STORE_KV),
    **tensorrt_llm_words.COMMANDS,
    **vllm.COMMANDS,
}
"""Command -> what is told of its options by hand."""

ENGINE_IMAGES: Mapping[str, Mapping[str, ReleaseLine]] = {
    "tensorrt-llm/release": {own: release_line(named) for own, named in TrtllmServe.dynamo_releases.items()},
    "vllm/vllm-openai": vllm.OWN_RELEASES,
}
"""End of an engine's own repository -> its release -> the line of Dynamo that names the same release."""
