"""The guide shows what preview says, word by word."""

import pytest

from lab.directory import REPOSITORY
from stacks.updates.notices import platform_notices
from tests.stacks.changed_settings import (
    AGGREGATED,
    LARGER_CACHE,
    SECOND_NODE,
    Settings,
    changed,
    override,
    replicas,
)
from tests.stacks.updates.changes import alpha_state, update
from tests.support.dev_settings import disagg_b200_settings, resolved


def _squeezed(text: str) -> str:
    return " ".join(text.split())


GUIDE = _squeezed((REPOSITORY / "docs" / "updates.md").read_text(encoding="utf-8"))
BEFORE = disagg_b200_settings()
SMALL = changed(BEFORE, {"modelCache.size": "100Gi"})
ROOMY = changed(BEFORE, SECOND_NODE)
THREE = changed(BEFORE, replicas(prefill=3))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEFORE, changed(BEFORE, override("decode", max_batch_size=512))),
        (BEFORE, THREE),
        (THREE, BEFORE),
        (BEFORE, changed(BEFORE, LARGER_CACHE)),
        (SMALL, changed(SMALL, {"model": {"revision": f"0123456{'0' * 33}"}})),
        (BEFORE, changed(BEFORE, AGGREGATED)),
        (ROOMY, changed(ROOMY, AGGREGATED)),
    ],
)
def test_the_guide_shows_what_preview_says(before: Settings, after: Settings) -> None:
    first, *_ = update(before, after).texts
    assert _squeezed(first) in GUIDE


def test_the_guide_shows_what_preview_says_of_another_api_version() -> None:
    first, interruption, *_ = update(alpha_state(BEFORE), BEFORE).text.splitlines()
    assert _squeezed(f"{first} {interruption}") in GUIDE


@pytest.mark.parametrize(("version", "values"), [("1.2.1", {"changed": True}), ("1.2.0", {})])
def test_the_guide_shows_what_preview_says_of_the_platform(version: str, values: dict[str, bool]) -> None:
    before = {"version": version, "values": values}
    [notice] = platform_notices(before, resolved(changed(BEFORE, {"platform.version": "1.2.1"})).platform)
    assert notice.warns is (version != "1.2.1")
    assert _squeezed(notice.text) in GUIDE
