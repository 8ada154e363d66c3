"""What all tests of conformance need."""

from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of these need a cluster, but for the one that reads a document."""
    for item in items:
        if _HERE in item.path.parents and item.path.name != "test_document.py":
            item.add_marker(pytest.mark.lab)
