"""Two stacks under load: two pods of each kind, and as shipped, one of each, with discovery by etcd."""

from typing import Any

import pytest

from tests.serving.conftest import BroughtUp
from tests.serving.etcd_discovery import discover_by_etcd
from tests.serving.faults.measure import Bench

STACK = "disagg-b200-tcp"


def _two_of_each(settings: dict[str, Any]) -> None:
    settings["serving"]["replicas"] = {"frontend": 2, "prefill": 2, "decode": 2}
    # The lab's one machine has eight GPUs: two of each kind, and one more of each while they roll.
    settings["serving"]["overrides"] = {"decode": {"tensor_parallel_size": 1}}


@pytest.fixture(scope="module")
def two_of_each(brought_up: BroughtUp) -> Bench:
    return Bench(brought_up(STACK, _two_of_each), "two of each")


@pytest.fixture(scope="module")
def one_of_each(brought_up: BroughtUp) -> Bench:
    return Bench(brought_up(STACK, discover_by_etcd), "one of each")
