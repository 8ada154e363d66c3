"""Two stacks under load: two pods of each kind, and as shipped, one of each, with discovery by etcd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.serving.faults.measure import Bench
from tests.serving_stacks.rehearsal import rehearsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.sandbox import Sandbox

STACK = "disagg-b200"


def _two_of_each(settings: dict[str, Any]) -> None:
    settings["lifecycle"] = "disposable"
    settings["serving"]["replicas"] = {"frontend": 2, "prefill": 2, "decode": 2}
    # The lab's one machine has eight GPUs: two of each kind, and one more of each while they roll.
    settings["serving"]["overrides"] = {"decode": {"tensor_parallel_size": 1}}


def _with_etcd(settings: dict[str, Any]) -> None:
    settings["lifecycle"] = "disposable"
    settings["platform"]["discovery"] = "etcd"
    settings["platform"]["etcd"] = {"kind": "own", "members": 3, "storageClassName": "gp3"}


@pytest.fixture(scope="module")
def two_of_each(serving_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with rehearsed(serving_lab, tmp_path_factory.mktemp("two"), STACK, _two_of_each) as stack:
        yield Bench(stack, "two of each")


@pytest.fixture(scope="module")
def one_of_each(serving_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with rehearsed(serving_lab, tmp_path_factory.mktemp("one"), STACK, _with_etcd) as stack:
        yield Bench(stack, "one of each")
