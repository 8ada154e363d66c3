"""Waits of tests for what a cluster stores."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from lab import changes
from tests.support.waiting import until

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.lab


def test_a_wait_looks_again_when_the_cluster_has_stored_a_change(
    lab: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "_LONGEST_PAUSE_SECONDS", 600.0)
    looks: list[bool] = []

    def is_there() -> bool:
        looks.append(lab.kubectl("get", "namespace", "late", check=False).returncode == 0)
        if len(looks) == 2:
            # Nobody would look a third time but for this change.
            threading.Timer(1, lab.kubectl, ("create", "namespace", "late")).start()
        return looks[-1]

    try:
        until(is_there, "the namespace", cluster=lab.directory)
        assert looks[:2] == [False, False]
    finally:
        lab.kubectl("delete", "namespace", "late")
