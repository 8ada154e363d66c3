import pytest

from cli import check
from cli.output import make_console


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cell of a table is broken into lines."""
    monkeypatch.setattr(check, "make_console", lambda: make_console(100_000))
