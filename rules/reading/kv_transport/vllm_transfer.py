"""What a vLLM worker's `--kv-transfer-config` says."""

from collections.abc import Mapping, Sequence

from resource_graph import Value
from rules.reading.shapes import mapping_at, texts_at

KV_TRANSFER_CONFIG = "--kv-transfer-config"
NIXL_CONNECTOR = "NixlConnector"
LIBFABRIC = "LIBFABRIC"
"""NIXL's plugin for EFA; without a choice NIXL takes UCX."""


def nixl_backends(config: Mapping[str, Value]) -> Sequence[str]:
    """The plugins that NIXL is told to use, in upper case; empty where it chooses.

    Raises:
        Undecided: they are no list of texts.
    """
    extra = mapping_at(config, "kv_connector_extra_config")
    return [name.upper() for name in texts_at(extra, "backends") if name is not None]
