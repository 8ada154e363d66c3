"""A repository on GitHub for the scripts of the workflows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflows.fake_github import PreviewRun, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.workflows.fake_github import FakeGitHub


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with serve() as repository:
        yield repository


@pytest.fixture
def preview(github: FakeGitHub, tmp_path: Path) -> PreviewRun:
    """Of a pull request that changes a stack file."""
    made = PreviewRun(github, tmp_path)
    made.opens("Pulumi.dev.yaml")
    return made
