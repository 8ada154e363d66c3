"""What can go wrong, with the vendor's wording where a person or a test may search for it."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from lab.provider_service.errors import Gone, InitializationError, ProviderError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Gone",
    "InitializationError",
    "NoMatchError",
    "NotReadyError",
    "ProviderError",
    "StatusError",
    "UnreachableError",
]


class StatusError(ProviderError):
    """The API server's refusal: HTTP code, reason and message of its Status object."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        # No such object, or no such kind.
        self.is_not_found = code == HTTPStatus.NOT_FOUND
        # The object's namespace does not exist, as opposed to the object or its kind.
        self.is_missing_namespace = self.is_not_found and message.startswith("namespaces ")
        self.is_forbidden = code == HTTPStatus.FORBIDDEN
        self.is_already_exists = reason == "AlreadyExists"
        # Somebody else owns a field, or wrote in between.
        self.is_conflict = reason == "Conflict"
        # An admission webhook with side effects cannot take part in a dry run.
        self.refuses_dry_run = "does not support dry run" in message

    @classmethod
    def from_response(cls, code: int, body: bytes) -> StatusError:
        """Reads a Status object; anything else (a proxy's HTML page) is kept as text."""
        text = body.decode(errors="replace").strip() or f"the server answered with HTTP code {code}"
        try:
            status = json.loads(text)
        except ValueError:
            status = None
        found = status if isinstance(status, dict) else {}
        return cls(code, found.get("reason") or "", found.get("message") or text)


class NoMatchError(ProviderError):
    """The API server serves no such kind (usually a custom resource without its definition)."""

    def __init__(self, api_version: str, kind: str) -> None:
        super().__init__(f'no matches for kind "{kind}" in version "{api_version}"')


class UnreachableError(ProviderError):
    """The API server does not answer."""


class NotReadyError(Exception):
    """The object exists but did not become what the wait expects; `details` say why."""

    def __init__(self, message: str, details: Sequence[str], live: dict[str, Any]) -> None:
        super().__init__(message)
        self.details = details
        self.live = live
