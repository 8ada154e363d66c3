"""Stack disagg-b200-8gpu from nothing to destroy, as its file is: one pod with all GPUs of one machine."""

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
    "disagg-b200-8gpu",
    "gpt-oss-disagg-8gpu",
    {"worker": 8},
    pool="b200",
    nodes=1,
    allocatable={"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "8"},
)


class TestDisaggB2008gpu(EveryStack):
    """What holds of every stack."""


def test_the_pod_has_the_container_by_which_prefill_registers(shipped: Shipped) -> None:
    [pod] = shipped.pods()["worker"]
    assert [container["name"] for container in pod["spec"]["containers"]] == ["main", "prefill"]


class TestRemovalOfDisaggB2008gpu(Removal):
    """The last of it."""
