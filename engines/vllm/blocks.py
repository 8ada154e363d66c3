"""The options of vLLM that are JSON objects, under the engine's own names.

Fields, values and defaults are those of vllm 0.20.1, 0.26.0 and 0.31.0, `vllm/config/`: compilation.py,
speculative.py, kv_events.py and kv_transfer.py. None always means "not written": the engine's default holds.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from engines.option_block import OptionBlock, PositiveInt

NIXL = "NixlConnector"
"""The connector that hands KV cache from prefill to decode workers; others move it to the host."""
CPU_OFFLOAD = "SimpleCPUOffloadConnector"
"""The connector that keeps blocks in the host's memory which the GPU has no room for."""
_CPU_OFFLOAD_BYTES = 8 * 2**30
"""Of one engine, where nothing is said (vllm-project/vllm vllm/distributed/kv_transfer/kv_connector/v1/
simple_cpu_offload_connector.py at 040c343)."""


class CompilationConfig(OptionBlock, frozen=True):
    """What is compiled, and which batches get a CUDA graph."""

    max_cudagraph_capture_size: PositiveInt | None = None
    """Tokens of the largest batch with a CUDA graph. Default: 1024 for gpt-oss."""
    pass_config: Mapping[str, bool] | None = None
    """Passes of the compiler, on or off."""


class SpeculativeConfig(OptionBlock, frozen=True):
    """A draft model that proposes tokens, which the model checks."""

    method: Literal["eagle3"]
    """How the draft model reads the model's layers."""
    model: str
    """Repository of the draft model, as the model's file names it: it has to be on the model cache."""
    num_speculative_tokens: PositiveInt
    """Tokens proposed at a time."""


class KvEventsConfig(OptionBlock, frozen=True):
    """What a worker says of the blocks that it has; without it a router knows of none."""

    enable_kv_cache_events: bool
    """Default: false."""
    publisher: Literal["zmq", "null"] = "zmq"
    topic: str | None = None
    endpoint: str = Field(pattern=r"^tcp://\*:[0-9]{1,5}$")
    """Where the worker's own runtime fetches them: tcp://*:PORT."""


class KvTransferConfig(OptionBlock, frozen=True):
    """How KV-cache blocks leave a worker, or enter it."""

    kv_connector: str
    """NixlConnector between prefill and decode."""
    kv_role: Literal["kv_producer", "kv_consumer", "kv_both"]
    kv_buffer_device: Literal["cuda", "cpu"] | None = None
    kv_connector_extra_config: Mapping[str, Any] | None = None

    def host_bytes(self, ranks: int) -> int:
        """Return the host memory that it takes for an engine of so many GPUs, 0 where nothing is known."""
        if self.kv_connector != CPU_OFFLOAD:
            return 0
        told = self.kv_connector_extra_config or {}
        of_a_rank = told.get("cpu_bytes_to_use_per_rank")
        whole = int(told.get("cpu_bytes_to_use", _CPU_OFFLOAD_BYTES))
        return whole if of_a_rank is None else int(of_a_rank) * ranks
