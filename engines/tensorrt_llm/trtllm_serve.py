"""`trtllm-serve`, the server that TensorRT-LLM brings along.

Options and paths: NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py in three versions around 1.3.0rc14
(flags.py here). It reads harmony, the format of gpt-oss' answers, by itself, without the parsers that
workers of Dynamo are given.
"""

import shlex
from collections.abc import Mapping

from engines.engine import PORT, WorkerStart
from engines.tensorrt_llm.engine import TensorRtLlm, algorithm_environment
from engines.tensorrt_llm.options import TensorRtLlmOptions

# The image's user is root, without a home that another user may write. Caches of the hub, of Triton and of
# Python's own lie below it.
_HOME = "/tmp/home"  # noqa: S108 - a directory of the container's own


class TrtllmServe(TensorRtLlm):
    """The engine behind its own server, which needs nothing of Dynamo."""

    framework: str = "tensorrt-llm"
    """Name of the engine, a key of ENGINES."""
    ready_path: str = "/health"
    """Answers 200 once requests are served, and not before: it listens after the model is loaded."""
    metrics_path: str = "/prometheus/metrics"
    """Metrics in Prometheus' words."""

    dynamo_releases: Mapping[str, str] = {
        "1.3.0rc14": "1.2.1",
        "1.3.0rc19": "1.3.1",
        "1.3.0rc22": "1.4.2",
        "1.3.0rc25": "1.5.1",
    }
    """Version of its image -> release of Dynamo's runtime with the same engine: defects are known by it.

    Pins of the PyPI packages ai-dynamo of these releases.
    """

    def command_line(self, options: TensorRtLlmOptions, start: WorkerStart) -> str:  # noqa: ARG002 - in the file
        """Every engine option stands in the file: which of file and flag wins differs between releases."""
        return shlex.join(
            [
                "trtllm-serve",
                start.model_path,
                "--host",
                "0.0.0.0",  # noqa: S104 - the pod's network namespace
                "--port",
                str(PORT),
                "--backend",
                "pytorch",
                "--served_model_name",
                start.served_name,
                "--extra_llm_api_options",
                start.engine_file_path,
            ]
        )

    def environment(self, start: WorkerStart) -> dict[str, str]:
        """A home that the pod's user may write, and the number format of the experts."""
        return {
            **algorithm_environment(start.algorithm),
            "HOME": _HOME,
            "TRITON_CACHE_DIR": f"{_HOME}/.triton",
        }
