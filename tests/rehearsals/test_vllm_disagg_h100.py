"""Stack vllm-disagg-h100 from nothing to destroy, as its file is: one pod with all GPUs of one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rehearsals.every_stack import EveryStack
from tests.rehearsals.removal import Removal
from tests.rehearsals.shipped import Expected

if TYPE_CHECKING:
    from tests.rehearsals.shipped import Shipped

pytestmark = [pytest.mark.lab, pytest.mark.slow]

EXPECTED = Expected(
    "vllm-disagg-h100",
    "gpt-oss-vllm-disagg",
    {"worker": 8},
    pool="h100",
    nodes=1,
    allocatable={"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"},
)


class TestVllmDisaggH100(EveryStack):
    """What holds of every stack."""


def test_the_pod_has_the_container_by_which_prefill_registers(shipped: Shipped) -> None:
    [pod] = shipped.pods()["worker"]
    assert [container["name"] for container in pod["spec"]["containers"]] == ["main", "prefill"]


class TestRemovalOfVllmDisaggH100(Removal):
    """The last of it."""
