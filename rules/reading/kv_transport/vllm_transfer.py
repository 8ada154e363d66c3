"""What a vLLM worker's `--kv-transfer-config` says."""

from collections.abc import Iterator, Mapping, Sequence

from engines import vllm_connectors
from resource_graph import Value
from rules.reading.commands.spelling import nearest, slip_of
from rules.reading.engines.command_settings import CommandSettings
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.shapes import mapping_at, mappings_at, text_at, texts_at

KV_TRANSFER_CONFIG = "--kv-transfer-config"
NIXL_CONNECTOR = "NixlConnector"
WITHOUT_A_DEFAULT = (1, 0)
"""Before, dynamo.vllm took `--connector nixl` by itself, and it had no --disaggregation-mode."""
LIBFABRIC = "LIBFABRIC"
"""NIXL's plugin for EFA; without a choice NIXL takes UCX."""
_ROLES = frozenset({"kv_both", "kv_consumer", "kv_producer"})
_SLIPS = 2
_HOLD_OTHERS = frozenset({"MultiConnector", "PdConnector"})
"""Those that keep others in their extra configuration; Dynamo's PdConnector is one of KVBM and NIXL
(ai-dynamo/dynamo lib/bindings/kvbm python/kvbm/vllm_integration/connector/pd_connector.py)."""


def connector_problems(settings: CommandSettings, line: tuple[int, int] | None) -> Iterator[str]:
    """What vLLM of a release line refuses in the configuration; nothing for a release that was not read.

    A plugin may register a connector of its own, so that a name is wrong only where it is a slip, or that of
    another release.
    """
    try:
        config = settings.mapping(KV_TRANSFER_CONFIG)
    except EngineFileProblem:
        # It fails where such files are judged.
        return
    if config is None or line is None:
        return
    role = text_at(config, "kv_role")
    if role is not None and role not in _ROLES:
        yield f"kv_role in {KV_TRANSFER_CONFIG} is {role}, none of {', '.join(sorted(_ROLES))}"
    name = text_at(config, "kv_connector")
    if name is None or text_at(config, "kv_connector_module_path"):
        return
    known = vllm_connectors()
    wrong = name in known.of_any_line or slip_of(name, known.of_any_line, _SLIPS) is not None
    if wrong and name not in known.by_line[line]:
        hint = nearest(name, known.by_line[line])
        yield f"kv_connector in {KV_TRANSFER_CONFIG} is {name}, which its release of vLLM does not have{hint}"


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
