"""Which of TensorRT-LLM's two transceivers moves KV cache, on the lines of Dynamo's runtime that choose one.

The backend of each transport, the size of its buffer and the variables of UCX and NIXL are those of the C++
transceiver, the one that Dynamo 1.2 runs where nobody names another. Later releases choose: 1.3.0rc28 the
Python one for NIXL and the C++ one for every other backend (`auto`), unless the model prefers one; 1.4.0rc1
the Python one always, which takes NIXL alone. Which of the two 1.3.0rc29 does, Dynamo 1.6's, was not read.
"""

from engines.kv_profile import KvProfile
from engines.release import release_line
from engines.sourced import Sourced
from engines.tensorrt_llm.blocks import KvCacheConfig
from engines.tensorrt_llm.options import TensorRtLlmOptions

TRANSCEIVER_CHOSEN_SINCE = (1, 6)
"""First line of the platform whose engine chooses a transceiver where nobody names one."""

CHOICE = Sourced(
    "engine file: the engine chooses cache_transceiver_config.transceiver_runtime where nobody does, and the "
    "Python one takes NIXL alone; CPP is written, with the KV cache manager that it works with "
    "(kv_cache_config.use_kv_cache_manager_v2: false)",
    "inferred",
    "NVIDIA/TensorRT-LLM branch gh-pages, CacheTransceiverConfig and KvCacheConfig of 1.3.0rc28 "
    "(llm-api/reference) at c16b320, genindex.html of 1.3.0rc29 at bf0ee2f; page CacheTransceiverConfig of "
    "1.4.0rc1; NVIDIA/TensorRT-LLM#18134",
)
"""What of the engine's choice stands in docs/versions.md."""


def with_transport(options: TensorRtLlmOptions, profile: KvProfile) -> TensorRtLlmOptions:
    """Return the options with the transport's backend, and with the transceiver that it is set up for.

    A transceiver or a KV cache manager that the recipe or the stack's settings name stays.
    """
    transceiver = options.cache_transceiver_config
    if transceiver is None:
        return options
    # A backend that does not fit its transport carries blocks over TCP without a word.
    changes: dict[str, object] = {"backend": profile.backend}
    if release_line(profile.image_tag) < TRANSCEIVER_CHOSEN_SINCE:
        return options.model_copy(update={"cache_transceiver_config": transceiver.model_copy(update=changes)})
    cache = options.kv_cache_config or KvCacheConfig()
    if transceiver.transceiver_runtime is None and not cache.use_kv_cache_manager_v2:
        changes["transceiver_runtime"] = "CPP"
    chosen = transceiver.model_copy(update=changes)
    if chosen.transceiver_runtime == "CPP" and cache.use_kv_cache_manager_v2 is None:
        # It moves the cache of the first manager alone, and a model may prefer the second.
        cache = cache.model_copy(update={"use_kv_cache_manager_v2": False})
    return options.model_copy(update={"cache_transceiver_config": chosen, "kv_cache_config": cache})
