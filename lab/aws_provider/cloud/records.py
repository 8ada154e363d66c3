"""A line for each request: what was asked of the cloud, and how it answered."""

from __future__ import annotations

import datetime as dt
import json
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from lab.aws_provider.cloud.decode import Call

HIDDEN = "[hidden]"


class Records:
    """Appends JSON lines to a file: service, operation, region, parameters, requestId, error."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def add(self, call: Call, error: str | None) -> None:
        """Writes one request; parameters that AWS calls sensitive are hidden."""
        shape = call.operation.input_shape
        line = {
            "service": call.service,
            "operation": call.name,
            "region": call.region,
            "parameters": _visible(shape, call.parameters) if shape else {},
            "requestId": call.request_id,
            "error": error,
        }
        with self._lock, self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, default=_text) + "\n")


def _visible(shape: Any, value: Any) -> Any:
    # User data is base64 that clients read back, not a secret by itself; AWS still marks it sensitive.
    if shape.metadata.get("sensitive") or shape.name == "SensitiveUserData":
        return HIDDEN
    match shape.type_name:
        case "structure" if isinstance(value, dict):
            members = shape.members
            return {name: _visible(members[name], item) for name, item in value.items() if name in members}
        case "list":
            return [_visible(shape.member, item) for item in value]
        case "map":
            return {key: _visible(shape.value, item) for key, item in value.items()}
    return value


def _text(value: object) -> str:
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=dt.UTC).isoformat()
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
