"""A repository on GitHub for the scripts of the workflows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.loopback import served
from tests.workflows.fake_github import FakeGitHub, PreviewRun, application


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    repository = FakeGitHub()
    with served(application(repository)) as repository.url:
        yield repository


@pytest.fixture
def preview(github: FakeGitHub, tmp_path: Path) -> PreviewRun:
    """Of a pull request that changes a stack file."""
    made = PreviewRun(github, tmp_path)
    made.opens("Pulumi.dev.yaml")
    return made
