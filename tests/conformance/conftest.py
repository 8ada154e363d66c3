"""The toy of each test."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.shared_lab import shared_lab
from tests.conformance.toy import Toy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.sandbox import Sandbox

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of these need a cluster, but for the one that reads a document."""
    for item in items:
        if _HERE in item.path.parents and item.path.name != "test_document.py":
            item.add_marker(pytest.mark.lab)


@pytest.fixture(scope="session")
def conformance_lab(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Sandbox]:
    """The simulated cluster that all test processes share."""
    base = tmp_path_factory.getbasetemp()
    with shared_lab(base if worker_id == "master" else base.parent) as sandbox:
        yield sandbox


@pytest.fixture
def toy(conformance_lab: Sandbox, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Toy]:
    """A program, stack and namespace for one test; what it leaves is removed in the background."""
    name = "toy-" + hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:8]
    made = Toy(conformance_lab, tmp_path / "program", name)
    made.start()
    yield made
    conformance_lab.kubectl("delete", "namespace", name, "--wait=false", "--ignore-not-found", check=False)
