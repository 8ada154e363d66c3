"""A repository on GitHub for the scripts of the workflows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflows.fake_github import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.workflows.fake_github import FakeGitHub


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with serve() as repository:
        yield repository
