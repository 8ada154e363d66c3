"""Words of the command that starts vLLM's workers, and the releases of its own image.

Where nothing else is said from argparse of dynamo.vllm in the PyPI package ai-dynamo 1.2.1.
"""

from collections.abc import Mapping
from types import MappingProxyType

from engines.command_options import STORE_KV, CommandWords
from engines.release import ReleaseLine

COMMANDS: Mapping[str, CommandWords] = MappingProxyType(
    {
        "dynamo.vllm": CommandWords(
            removed={"--connector": "write --kv-transfer-config with a kv_connector", **STORE_KV},
            deprecated={
                "--is-prefill-worker": "write --disaggregation-mode prefill",
                "--is-decode-worker": "write --disaggregation-mode decode",
            },
            disaggregation_modes={
                (1, 0): ("agg", "prefill", "decode"),
                (1, 1): ("agg", "prefill", "decode", "encode"),
                (1, 3): ("agg", "pd", "prefill", "decode", "encode"),
            },
        )
    }
)
"""Command -> its words."""

OWN_IMAGES: Mapping[str, Mapping[ReleaseLine, ReleaseLine]] = MappingProxyType(
    {
        "vllm/vllm-openai": {
            (0, 20): (1, 2),
            (0, 23): (1, 3),
            (0, 26): (1, 4),
            (0, 28): (1, 5),
            (0, 31): (1, 6),
        }
    }
)
"""End of the engine's own repository -> its release -> the line of Dynamo that names the same release."""
