"""The provider's own inputs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_SERVED = frozenset(
    {
        "region",
        "allowedAccountIds",
        "defaultTags",
        "endpoints",
        # Read by the vendor's plugin to find credentials; here there are none to find.
        "accessKey",
        "secretKey",
        "token",
        "skipCredentialsValidation",
        "skipMetadataApiCheck",
        "skipRegionValidation",
        "skipRequestingAccountId",
        "maxRetries",
        # The engine's own.
        "version",
        "pluginDownloadURL",
        "internal",
    }
)


@dataclass(frozen=True)
class Settings:
    """What a configured provider works with."""

    region: str
    allowed_accounts: tuple[str, ...] = ()
    default_tags: dict[str, str] = field(default_factory=dict)
    endpoint: str | None = None

    @classmethod
    def from_inputs(cls, inputs: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Settings:
        """Reads inputs as the engine sends them: lists and objects arrive as JSON text."""
        endpoints = _parsed(inputs.get("endpoints")) or []
        named = {url for entry in endpoints for url in entry.values() if url}
        tags = _parsed(inputs.get("defaultTags")) or {}
        return cls(
            region=inputs.get("region") or environment.get("AWS_REGION") or "us-east-1",
            allowed_accounts=tuple(_parsed(inputs.get("allowedAccountIds")) or ()),
            default_tags=dict(tags.get("tags") or {}),
            endpoint=min(named) if named else None,
        )


def refusals(inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(input, reason) for each input that this stand-in does not serve."""
    return [
        (
            name,
            f"this stand-in does not serve the provider input {name!r}; it serves "
            f"{', '.join(sorted(_SERVED))}",
        )
        for name in sorted(set(inputs) - _SERVED)
    ]


def _parsed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value
