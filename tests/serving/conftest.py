"""Labs of this test process's own whose pods are real processes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from lab import cluster
from tests.support.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def serving_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A running simulated cluster with the kubelet; the Dynamo runtime is installed where it is missing."""
    with _serving(tmp_path_factory.mktemp("serving")) as lab:
        yield lab


@pytest.fixture(scope="module")
def own_serving_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """The same for one module, which may leave it broken: it ends faster than a stack is destroyed."""
    with _serving(tmp_path_factory.mktemp("serving")) as lab:
        yield lab


@contextmanager
def _serving(folder: Path) -> Iterator[Sandbox]:
    sandbox = Sandbox.at(folder)
    try:
        cluster.up(sandbox.directory, say=print, serving=True)
        yield sandbox
    finally:
        cluster.down(sandbox.directory)
