"""The guide shows what preview says, word by word."""

from typing import Any

import pytest

from lab.directory import REPOSITORY
from stacks.updates.deployed import DeployedRelease
from stacks.updates.notices import platform_notice
from tests.stacks.updates.changes import changed, override, replicas, update
from tests.stacks.updates.graphs_of_before import as_written_at_first
from tests.support.dev_settings import disagg_b200_settings


def _squeezed(text: str) -> str:
    return " ".join(text.split())


GUIDE = _squeezed((REPOSITORY / "docs" / "updates.md").read_text(encoding="utf-8"))


def _aggregated(settings: dict[str, Any]) -> None:
    settings["serving"]["recipe"] = "gpt-oss-120b/trtllm-agg"
    del settings["serving"]["kvTransport"]


def _second_node(settings: dict[str, Any]) -> None:
    settings["nodePools"][0]["nodes"] = 2


def _larger_cache(settings: dict[str, Any]) -> None:
    settings["modelCache"]["size"] = "200Gi"


def _revision(settings: dict[str, Any]) -> None:
    settings["model"] = {"revision": f"0123456{'0' * 33}"}


def _small_cache(settings: dict[str, Any]) -> None:
    settings["modelCache"]["size"] = "100Gi"


BEFORE = disagg_b200_settings()
SMALL = changed(BEFORE, _small_cache)
ROOMY = changed(BEFORE, _second_node)
THREE = changed(BEFORE, replicas(prefill=3))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEFORE, changed(BEFORE, override("decode", max_batch_size=512))),
        (BEFORE, THREE),
        (THREE, BEFORE),
        (BEFORE, changed(BEFORE, _larger_cache)),
        (SMALL, changed(SMALL, _revision)),
        (BEFORE, changed(BEFORE, _aggregated)),
        (ROOMY, changed(ROOMY, _aggregated)),
    ],
)
def test_the_guide_shows_what_preview_says(before: dict[str, Any], after: dict[str, Any]) -> None:
    first, *_ = update(before, after).texts
    assert _squeezed(first) in GUIDE


def test_the_guide_shows_what_preview_says_of_a_graph_as_it_was_written_at_first() -> None:
    first, interruption, *_ = update(as_written_at_first(disagg_b200_settings()), BEFORE).text.splitlines()
    assert _squeezed(f"{first} {interruption}") in GUIDE


def test_the_guide_shows_what_preview_says_of_the_platform() -> None:
    for version, values in (("1.2.1", {"changed": True}), ("1.2.0", {})):
        [notice] = platform_notice(DeployedRelease(version, {}), "1.2.1", values)
        assert _squeezed(notice.text) in GUIDE
