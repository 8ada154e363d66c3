"""Which of the engine's two transceivers is written into the file, on each line of the runtime."""

from typing import Any

import pytest
import yaml

from engines.tensorrt_llm.command import engine_file
from engines.tensorrt_llm.keys import ENGINE_BLOCK_KEYS
from engines.tensorrt_llm.kv_profiles import kv_profile
from engines.tensorrt_llm.options import TensorRtLlmOptions
from engines.tensorrt_llm.transceiver import with_transport
from hardware import INSTANCE_TYPES, KV_TRANSPORTS
from recipes.load import load_recipe
from tests.support.placed_recipes import AGGREGATED, DISAGGREGATED, GB200

ROLES: tuple[Any, ...] = ("prefill", "decode")
PINNED = {"transceiver_runtime": "CPP"}


def _options(recipe: str, role: Any) -> TensorRtLlmOptions:
    options = load_recipe(recipe).engine_of(role)
    assert isinstance(options, TensorRtLlmOptions)
    return options


def _file(
    version: str, transport: Any = "tcp", role: Any = "decode", **blocks: dict[str, Any]
) -> dict[str, Any]:
    """The engine file of the disaggregated recipe on a release, with these settings in its blocks."""
    options = _options(DISAGGREGATED, role)
    changed = {name: getattr(options, name).model_copy(update=block) for name, block in blocks.items()}
    profile = kv_profile(transport, instance_type=INSTANCE_TYPES[GB200], runtime_version=version)
    return yaml.safe_load(engine_file(with_transport(options.model_copy(update=changed), profile)))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("version", ["1.2.1", "1.4.2"])
def test_where_the_engine_has_one_transceiver_by_default_none_is_named(version: str, role: Any) -> None:
    file = _file(version, role=role)
    assert file["cache_transceiver_config"] == {"backend": "UCX", "max_tokens_in_buffer": 9216}
    assert "use_kv_cache_manager_v2" not in file["kv_cache_config"]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("transport", KV_TRANSPORTS)
def test_where_the_engine_chooses_the_one_that_the_transport_is_set_up_for_is_named(
    transport: Any, role: Any
) -> None:
    before, file = (_file(version, transport, role) for version in ("1.4.2", "1.6.2"))
    assert file["cache_transceiver_config"] == before["cache_transceiver_config"] | PINNED
    assert file["kv_cache_config"] == before["kv_cache_config"] | {"use_kv_cache_manager_v2": False}
    same = before.keys() - {"cache_transceiver_config", "kv_cache_config"}
    assert {name: file[name] for name in same} == {name: before[name] for name in same}


def test_what_is_named_is_known_of_the_engine() -> None:
    assert PINNED.keys() <= ENGINE_BLOCK_KEYS["cache_transceiver_config"]
    assert "use_kv_cache_manager_v2" in ENGINE_BLOCK_KEYS["kv_cache_config"]


def test_a_transceiver_that_somebody_named_stays() -> None:
    file = _file("1.6.2", "efa", cache_transceiver_config={"transceiver_runtime": "PYTHON"})
    assert file["cache_transceiver_config"]["transceiver_runtime"] == "PYTHON"
    assert "use_kv_cache_manager_v2" not in file["kv_cache_config"]


def test_the_c_transceiver_gets_its_manager_whoever_named_it() -> None:
    file = _file("1.6.2", cache_transceiver_config=PINNED)
    assert file["kv_cache_config"]["use_kv_cache_manager_v2"] is False


def test_a_manager_that_the_c_transceiver_does_not_know_leaves_the_choice_to_the_engine() -> None:
    file = _file("1.6.2", kv_cache_config={"use_kv_cache_manager_v2": True})
    assert "transceiver_runtime" not in file["cache_transceiver_config"]
    assert file["kv_cache_config"]["use_kv_cache_manager_v2"] is True


def test_a_worker_that_transfers_nothing_is_left_alone() -> None:
    options = _options(AGGREGATED, "worker")
    profile = kv_profile("tcp", instance_type=INSTANCE_TYPES[GB200], runtime_version="1.6.2")
    assert with_transport(options, profile) is options
