"""Known pains on switches: a create that does not end, so that its engine can be killed in the middle of it.

The file `hold-after-create` in the lab's folder `switches` names a kind: the object exists, and the engine is
not told.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lab.kubernetes_provider.errors import ProviderError

if TYPE_CHECKING:
    from lab.kubernetes_provider.session import Session

_POLL_SECONDS = 0.1


def hold_after_create(session: Session, kind: str) -> None:
    """Waits as long as the switch names this kind. Raises ProviderError when the operation is cancelled."""
    lab = os.environ.get("LAB_DIR")
    if not lab:
        return
    switch = Path(lab) / "switches" / "hold-after-create"
    while _names(switch, kind):
        if session.cancelled.wait(_POLL_SECONDS):
            raise ProviderError(f"Resource operation was cancelled for a {kind}")


def _names(switch: Path, kind: str) -> bool:
    try:
        return switch.read_text().strip() == kind
    except FileNotFoundError:
        return False
