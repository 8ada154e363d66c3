"""A plugin whose engine was killed: gone at once, or on a switch working on as the vendors' plugins do."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from lab.provider_service.afterlife import live_on

if TYPE_CHECKING:
    from pathlib import Path

HANGS_SECONDS = 60


def _lab(folder: Path, seconds: str) -> dict[str, str]:
    (folder / "switches").mkdir()
    (folder / "switches" / "plugins-outlive-engine").write_text(seconds)
    return {"LAB_DIR": str(folder)}


def test_without_the_switch_a_plugin_does_not_outlive_its_engine(tmp_path: Path) -> None:
    live_on(lambda: True, {"LAB_DIR": str(tmp_path)})
    live_on(lambda: True, {})


def test_an_idle_plugin_lives_until_it_looks_for_its_engine(tmp_path: Path) -> None:
    began = time.monotonic()
    live_on(lambda: False, _lab(tmp_path, "0.4"))
    assert 0.4 <= time.monotonic() - began < HANGS_SECONDS


def test_a_plugin_with_a_call_under_way_lives_as_long_as_the_call(tmp_path: Path) -> None:
    ended = threading.Event()
    living = threading.Thread(target=live_on, args=(lambda: not ended.is_set(), _lab(tmp_path, "0.1")))
    living.start()
    living.join(0.5)
    assert living.is_alive()
    ended.set()
    living.join(HANGS_SECONDS)
    assert not living.is_alive()
