"""vLLM in the images of each line of Dynamo's runtime."""

from collections.abc import Mapping
from types import MappingProxyType

from engines.sourced import WHEELS, EngineOnLine, Sourced

ON_LINES: Mapping[str, EngineOnLine] = MappingProxyType(
    {
        "1.2": EngineOnLine("0.20.1", "backend"),
        "1.4": EngineOnLine(
            "0.26.0",
            "backend",
            option_changes=(
                Sourced(
                    "dynamo.vllm: --is-prefill-worker and --is-decode-worker are gone",
                    "read",
                    f"{WHEELS}: dynamo/vllm/backend_args.py",
                ),
                Sourced(
                    "dynamo.vllm: the number format of activations is an option, "
                    "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8 is gone",
                    "read",
                    "PyPI packages vllm 0.20.1, 0.26.0 and 0.31.0: vllm/envs.py, vllm/config/quantization.py",
                ),
            ),
        ),
    }
)
"""Line -> what is known of the engine in it."""
