"""Labs of this test process's own whose pods are real processes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from lab import cluster
from tests.serving_stacks.rehearsal import prepare
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox


class BroughtUp(Protocol):
    """Name of a shipped stack, and what is changed of its settings -> the stack, which is up."""

    def __call__(self, name: str, change: Callable[[dict[str, Any]], None] | None = None) -> LabStack: ...


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


@pytest.fixture(scope="module")
def brought_up(own_serving_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> BroughtUp:
    """Brings a stack up in the module's own cluster, which goes as a whole."""

    def bring(name: str, change: Callable[[dict[str, Any]], None] | None = None) -> LabStack:
        stack = prepare(own_serving_lab, tmp_path_factory.mktemp("served"), name, change)
        # The policies judge the update as they would the preview.
        stack.up("--skip-preview")
        return stack

    return bring


@contextmanager
def _serving(folder: Path) -> Iterator[Sandbox]:
    sandbox = Sandbox.at(folder)
    try:
        cluster.up(sandbox.directory, say=print, serving=True)
        yield sandbox
    finally:
        cluster.down(sandbox.directory)
