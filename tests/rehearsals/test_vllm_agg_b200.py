"""Stack vllm-agg-b200 from nothing to destroy, as its file is: eight workers on the GPUs of one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rehearsals.every_stack import EveryStack
from tests.rehearsals.removal import Removal
from tests.rehearsals.shipped import NAMESPACE, Expected

if TYPE_CHECKING:
    from tests.rehearsals.shipped import Shipped

pytestmark = [pytest.mark.lab, pytest.mark.slow]

EXPECTED = Expected(
    "vllm-agg-b200",
    "gpt-oss-vllm",
    {"worker": 1},
    pool="b200",
    nodes=1,
    allocatable={"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "8"},
    workers=8,
)


class TestVllmAggB200(EveryStack):
    """What holds of every stack."""


def test_an_engine_whose_options_are_flags_has_no_config_map(shipped: Shipped) -> None:
    maps = shipped.lab.get("configmaps", "-n", NAMESPACE)["items"]
    assert [each["metadata"]["name"] for each in maps if "engine" in each["metadata"]["name"]] == []


class TestRemovalOfVllmAggB200(Removal):
    """The last of it."""
