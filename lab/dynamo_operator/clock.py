"""The time as Kubernetes writes it."""

from __future__ import annotations

import datetime as dt


def now() -> str:
    """RFC 3339 in UTC, in seconds."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
