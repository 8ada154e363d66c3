"""A plugin whose engine was killed: gone at once, or on a switch working on as the vendors' plugins do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lab.provider_service.afterlife import live_on

if TYPE_CHECKING:
    from pathlib import Path

HANGS_SECONDS = 60


def test_an_idle_plugin_lives_until_it_looks_for_its_engine_and_without_the_switch_no_longer(
    tmp_path: Path,
) -> None:
    live_on(lambda: True, {"LAB_DIR": str(tmp_path)})
    (tmp_path / "switches").mkdir()
    (tmp_path / "switches" / "plugins-outlive-engine").write_text("0.4")
    began = time.monotonic()
    live_on(lambda: False, {"LAB_DIR": str(tmp_path)})
    assert 0.4 <= time.monotonic() - began < HANGS_SECONDS
