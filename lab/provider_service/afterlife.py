"""What a plugin does when its engine was killed: it ends, or on a switch works on as the vendors' do.

A plugin of the Go SDK looks for its engine every five minutes and, once the engine is gone, ends when its
last call has ended: a wait goes on for as long as it would have, and Helm finishes its work
(pulumi/pulumi sdk/go/pulumi/provider/main.go; seen with pulumi-resource-kubernetes 4.32.0: idle ones ended
after 295 to 299 s, one that waited was alive after 655 s).

The file `plugins-outlive-engine` in the lab's folder `switches` says after how many seconds the plugin looks.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SWITCH = "plugins-outlive-engine"
_POLL_SECONDS = 0.1


def live_on(is_busy: Callable[[], bool], variables: Mapping[str, str] = os.environ) -> None:
    """Returns when a plugin whose engine was killed ends: at once without the switch."""
    seconds = _seconds(variables.get("LAB_DIR"))
    never = threading.Event()
    never.wait(seconds)
    while seconds and is_busy():
        never.wait(_POLL_SECONDS)


def _seconds(lab: str | None) -> float:
    try:
        return float((Path(lab) / "switches" / _SWITCH).read_text()) if lab else 0
    except FileNotFoundError:
        return 0
