"""`python3 -m dynamo.vllm` in a container of the lab: read all that the worker would, then serve as a mock.

The runtime's own parser judges the command line, with vllm_options.py for vLLM's part of it.
"""

from __future__ import annotations

import os
from typing import Any

import engine_ports
import mock_serving

_BLOCK_SIZE = 16
"""Smallest that vLLM's attention kernels choose where nothing is said (vllm 0.20.1 vllm/config/cache.py)."""
_MAX_NUM_SEQS = 1024
_MAX_NUM_BATCHED_TOKENS = 8192
"""Defaults on GPUs of 70 GiB and more (vllm 0.20.1 vllm/engine/arg_utils.py, get_batch_defaults)."""

_SIDE_CHANNEL_PORT = "5600"
"""Default of VLLM_NIXL_SIDE_CHANNEL_PORT (vllm 0.20.1 vllm/envs.py)."""


def main() -> None:
    """Replace this process by the mock, or end with the worker's own message."""
    # Here, not above: the parser loads the whole runtime.
    from dynamo.vllm.args import parse_args  # noqa: PLC0415  # pyright: ignore[reportMissingImports]

    # Pods of the lab have loopback addresses, which the runtime takes for none when it looks for its own.
    os.environ.setdefault("VLLM_NIXL_SIDE_CHANNEL_HOST", "127.0.0.1")
    config: Any = parse_args()
    given = config.engine_args
    model = mock_serving.model_folder(config.model, "--model")
    if given.speculative_config is not None and given.speculative_config.model is not None:
        mock_serving.model_folder(given.speculative_config.model, "--speculative-config")
    options: dict[str, object] = {
        "--block-size": given.block_size or _BLOCK_SIZE,
        "--max-num-seqs": given.max_num_seqs or _MAX_NUM_SEQS,
        "--max-num-batched-tokens": given.max_num_batched_tokens or _MAX_NUM_BATCHED_TOKENS,
    }
    engine_ports.hold(os.environ.get("DYN_SYSTEM_HOST", ""), _ports(given))
    mock_serving.serve(config, model, config.disaggregation_mode.value, options)


def _ports(given: Any) -> engine_ports.Ports:
    """What vLLM would bind with these options, at rank 0 (vllm 0.20.1, dynamo/vllm of ai-dynamo 1.2.1)."""
    ports: engine_ports.Ports = {}
    if "InstrumentedScheduler" in (getattr(given, "scheduler_cls", None) or ""):
        ports["metrics of forward passes"] = int(os.environ["DYN_FORWARDPASS_METRIC_PORT"])
    transfer = given.kv_transfer_config
    if transfer is not None and transfer.kv_connector == "NixlConnector":
        ports["NIXL's handshake"] = int(os.environ.get("VLLM_NIXL_SIDE_CHANNEL_PORT", _SIDE_CHANNEL_PORT))
    return ports


if __name__ == "__main__":
    main()
