"""Health checks of processes that answer HTTP, by the Python that every runtime image has."""

from typing import Any

# Python ends with an error by itself where nothing answers, or not with success.
_ASK = (
    "import sys; from urllib.request import urlopen; "
    "sys.exit(any(text not in urlopen(url, timeout=5).read().decode() "
    "for url, text in zip(sys.argv[1::2], sys.argv[2::2])))"
)


def answers(texts: dict[str, str], start_seconds: int) -> dict[str, Any]:
    """Return a health check that passes once each URL answers with a text that has the other in it.

    Args:
        texts: URL -> what its answer must contain.
        start_seconds: so long failures do not count, while the model is loaded.

    """
    words = [word for pair in texts.items() for word in pair]
    return {**ran("CMD", "python3", "-c", _ASK, *words), "start_period": f"{start_seconds}s"}


def ran(*test: str) -> dict[str, Any]:
    """Return a health check that passes when the command does."""
    return {"test": list(test), "interval": "10s", "timeout": "10s", "retries": 6}
