"""Which defects of a released runtime are worked around, and where."""

import dataclasses
from typing import Any

import pytest

from engines.registry import ENGINES
from hardware import INSTANCE_TYPES
from recipes.graph_manifest import graph_spec
from recipes.load import load_recipe
from tests.support.graph_pods import main_of, pods_of
from tests.support.placed_recipes import (
    AGGREGATED,
    B200,
    DISAGGREGATED,
    GB200,
    placed_recipe,
    placement,
)

WITH_ATTENTION_DP = load_recipe(AGGREGATED).engine_of("worker")
WITHOUT = load_recipe(DISAGGREGATED).engine_of("decode")


def _found(
    options: Any, instance_type: str, *, version: str = "1.2.1", channel: bool = False
) -> dict[str, str]:
    workarounds = ENGINES["tensorrt-llm"].known_defects(
        options,
        instance_type=INSTANCE_TYPES[instance_type],
        runtime_version=version,
        has_imex_channel=channel,
    )
    return {workaround.name: workaround.value for workaround in workarounds}


def test_attention_dp_on_gb200_gets_allgather_in_release_1_2_alone() -> None:
    allgather = {"TRTLLM_FORCE_COMM_METHOD": "ALLGATHER"}
    assert _found(WITH_ATTENTION_DP, GB200, channel=True) == allgather
    assert _found(WITH_ATTENTION_DP, GB200, channel=True, version="1.2.0") == allgather
    assert _found(WITH_ATTENTION_DP, GB200, channel=True, version="1.3.1") == {}
    assert _found(WITHOUT, GB200, channel=True) == {}


@pytest.mark.parametrize("instance_type", [B200, "p5en.48xlarge"])
def test_attention_dp_on_other_gpus_ends_with_allgather_and_not_with_deepep(instance_type: str) -> None:
    assert _found(WITH_ATTENTION_DP, instance_type) == {"TRTLLM_CAN_USE_DEEP_EP": "0"}
    assert _found(WITH_ATTENTION_DP, instance_type, version="1.3.1") == {}
    assert _found(WITHOUT, instance_type) == {}


def test_nccl_stays_off_nvlink_between_nodes_in_a_gb200_pod_without_a_channel() -> None:
    assert _found(WITHOUT, GB200) == {"NCCL_MNNVL_ENABLE": "0"}
    assert _found(WITHOUT, GB200, channel=True) == {}
    assert _found(WITHOUT, B200) == {}


def test_what_the_recipe_says_of_a_variable_wins_over_a_workaround() -> None:
    placed = placed_recipe(AGGREGATED, placement(GB200))
    frontend, worker = placed.services
    [process] = worker.processes
    changed = process.model_copy(update={"environment": {"TRTLLM_FORCE_COMM_METHOD": "NVLINK"}})
    own = dataclasses.replace(worker, processes=(changed,))
    changed = dataclasses.replace(placed, services=(frontend, own))
    variables = main_of(pods_of(graph_spec(changed))["TrtllmWorker"])["env"]
    assert variables["TRTLLM_FORCE_COMM_METHOD"] == "NVLINK"
