"""`trtllm-serve`, the server that TensorRT-LLM brings along.

Options and paths: NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py in three versions around 1.3.0rc14
(command_words.py here). It reads harmony, the format of gpt-oss' answers, by itself, without the parsers that
workers of Dynamo are given.
"""

import shlex
from collections.abc import Mapping
from types import MappingProxyType

from engines.engine import PORT, ServerCommand, ServerPaths
from engines.tensorrt_llm.command import algorithm_environment

# The image's user is root, without a home that another user may write. Caches of the hub, of Triton and of
# Python's own lie below it.
_HOME = "/tmp/home"  # noqa: S108 - a directory of the container's own


class TrtllmServe:
    """The server protocol for trtllm-serve; each member is documented there."""

    framework: str = "tensorrt-llm"
    # It listens after the engine is built and the model loaded.
    paths: ServerPaths = ServerPaths(ready="/health", metrics="/prometheus/metrics")

    # Pins of the PyPI packages ai-dynamo of these releases.
    dynamo_releases: Mapping[str, str] = MappingProxyType(
        {"1.3.0rc14": "1.2.1", "1.3.0rc19": "1.3.1", "1.3.0rc22": "1.4.2", "1.3.0rc25": "1.5.1"}
    )

    def command(
        self, *, served_name: str, engine_file_path: str, model_path: str, algorithm: str | None
    ) -> ServerCommand:
        """Every engine option stands in the file: which of file and flag wins differs between releases."""
        words = [
            "trtllm-serve",
            model_path,
            "--host",
            "0.0.0.0",  # noqa: S104 - the pod's network namespace
            "--port",
            str(PORT),
            "--backend",
            "pytorch",
            "--served_model_name",
            served_name,
            "--extra_llm_api_options",
            engine_file_path,
        ]
        home = {"HOME": _HOME, "TRITON_CACHE_DIR": f"{_HOME}/.triton"}
        return ServerCommand(shlex.join(words), {**algorithm_environment(algorithm), **home})
