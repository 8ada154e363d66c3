"""Compose files do not change by accident."""

from __future__ import annotations

import pytest

from tests.compose.golden import FOLDER, STACKS, text


@pytest.mark.parametrize("stack", STACKS)
def test_a_compose_file_is_as_it_was_reviewed(stack: str) -> None:
    assert text(stack) == (FOLDER / f"{stack}.yaml").read_text(encoding="utf-8")
