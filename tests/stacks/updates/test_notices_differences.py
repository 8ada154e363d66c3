"""What has changed in a worker, in the words of a stack file."""

from collections.abc import Callable
from typing import Any

import pytest

from stacks.updates.comparable_graph import graph_of
from stacks.updates.notices import differences
from tests.stacks.updates.changes import changed, override
from tests.support.dev_settings import disagg_gb200_settings, resolved


def _revision(settings: dict[str, Any]) -> None:
    settings["model"] = {"revision": "0" * 40}


def _mirror(settings: dict[str, Any]) -> None:
    settings["imageMirrors"] = {"nvcr.io": "registry.example.com/nvcr"}


def _labels(settings: dict[str, Any]) -> None:
    settings["nodePools"][0]["labels"] = {"example.com/pool": "one"}


@pytest.mark.parametrize("graph_api", ["v1alpha1", "v1beta1"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (override("decode", max_batch_size=512), ["engine files"]),
        (override("prefill", tensor_parallel_size=2), ["engine files", "sizes"]),
        (_mirror, ["image"]),
        (_revision, ["MODEL_PATH"]),
        (_labels, ["placement"]),
    ],
)
def test_a_change_is_named_once_and_as_a_person_knows_it(
    change: Callable[[dict[str, Any]], object], words: list[str], graph_api: str
) -> None:
    settings = disagg_gb200_settings(4)
    settings["platform"]["graphApi"] = graph_api
    before, now = (graph_of(resolved(each)) for each in (settings, changed(settings, change)))
    assert sorted(differences(before.workers, now.services)) == sorted(words)
