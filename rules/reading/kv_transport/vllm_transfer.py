"""What a vLLM worker's `--kv-transfer-config` says."""

from collections.abc import Mapping, Sequence

from resource_graph import Value
from rules.reading.shapes import mapping_at, mappings_at, text_at, texts_at

KV_TRANSFER_CONFIG = "--kv-transfer-config"
NIXL_CONNECTOR = "NixlConnector"
WITHOUT_A_DEFAULT = (1, 0)
"""Before, dynamo.vllm took `--connector nixl` by itself, and it had no --disaggregation-mode."""
LIBFABRIC = "LIBFABRIC"
"""NIXL's plugin for EFA; without a choice NIXL takes UCX."""
_HOLD_OTHERS = frozenset({"MultiConnector", "PdConnector"})
"""Those that keep others in their extra configuration; Dynamo's PdConnector is one of KVBM and NIXL
(ai-dynamo/dynamo lib/bindings/kvbm python/kvbm/vllm_integration/connector/pd_connector.py)."""


def moving_connector(config: Mapping[str, Value]) -> str | None:
    """The connector that moves the cache between workers: of one that holds others NIXL's, if that is inside.

    Raises:
        Undecided: it has an unknown shape.
    """
    return text_at(_moving(config), "kv_connector")


def nixl_backends(config: Mapping[str, Value]) -> Sequence[str]:
    """The plugins that NIXL is told to use, in upper case; empty where it chooses.

    Raises:
        Undecided: they are no list of texts.
    """
    extra = mapping_at(_moving(config), "kv_connector_extra_config")
    return [name.upper() for name in texts_at(extra, "backends") if name is not None]


def _moving(config: Mapping[str, Value]) -> Mapping[str, Value]:
    if text_at(config, "kv_connector") not in _HOLD_OTHERS:
        return config
    held = mappings_at(config, "kv_connector_extra_config", "connectors")
    return next((each for each in held if text_at(each, "kv_connector") == NIXL_CONNECTOR), config)
