"""A lab of this test process's own whose pods are real processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab import cluster
from tests.support.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def serving_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A running simulated cluster with the kubelet; the Dynamo runtime is installed where it is missing."""
    sandbox = Sandbox.at(tmp_path_factory.mktemp("serving"))
    try:
        cluster.up(sandbox.directory, say=print, serving=True)
        yield sandbox
    finally:
        cluster.down(sandbox.directory)
