"""Through which library a TensorRT-LLM worker sends and receives KV cache."""

from collections.abc import Mapping
from types import MappingProxyType

from resource_graph import ResourceGraph
from rules.reading.commands.variables import variable
from rules.reading.engines.tensorrt_llm import Setting, read_tensorrt_llm
from rules.reading.pods.workers import Worker

BACKENDS = ("DEFAULT", "UCX", "NIXL", "MOONCAKE", "MPI")
"""Values of cache_transceiver_config.backend; the engine compares them as they are written
(NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py, CacheTransceiverConfig)."""

WITH_FIXED_BUFFERS = ("NIXL", "MOONCAKE")
"""Those whose buffers are allocated once (NVIDIA/TensorRT-LLM
cpp/tensorrt_llm/batch_manager/cacheFormatter.cpp: an AgentConnection asks for pre-allocated ones)."""

SETTING = "cache_transceiver_config.backend"
NIXL_PLUGIN = "TRTLLM_NIXL_KVCACHE_BACKEND"
"""Which of its plugins NIXL takes: UCX, its default, or LIBFABRIC."""

# DEFAULT takes the first of these that is 1, else NIXL (cpp/tensorrt_llm/batch_manager/cacheTransceiver.cpp).
_CHOICES: Mapping[str, str] = MappingProxyType(
    {
        "TRTLLM_USE_NIXL_KVCACHE": "NIXL",
        "TRTLLM_USE_UCX_KVCACHE": "UCX",
        "TRTLLM_USE_MOONCAKE_KVCACHE": "MOONCAKE",
        "TRTLLM_USE_MPI_KVCACHE": "MPI",
    }
)


def written_backend(graph: ResourceGraph, worker: Worker) -> Setting | None:
    """What the worker's settings say; None where they say nothing, which switches the transfer off.

    Raises:
        EngineFileProblem: its engine file cannot be what the engine needs.
        Undecided: it depends on something unknown.
    """
    settings = read_tensorrt_llm(graph, worker)
    return settings.at("cache_transceiver_config", "backend")


def effective_backend(graph: ResourceGraph, worker: Worker) -> str | None:
    """The library that moves the cache; None where there is none, or the value is not one of BACKENDS.

    Raises:
        Undecided: it depends on something unknown.
    """
    written = written_backend(graph, worker)
    if written is None or written.value not in BACKENDS:
        return None
    if written.value != "DEFAULT":
        return str(written.value)
    return next((backend for name, backend in _CHOICES.items() if variable(worker, name) == "1"), "NIXL")
