"""What can go wrong, with the vendor's wording where a person or a test may search for it."""

from __future__ import annotations

import json
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

_NOT_FOUND = 404
_FORBIDDEN = 403


class StatusError(ProviderError):
    """The API server's refusal: HTTP code, reason and message of its Status object."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message

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

    @property
    def is_not_found(self) -> bool:
        """404: no such object, or no such kind."""
        return self.code == _NOT_FOUND

    @property
    def is_already_exists(self) -> bool:
        """A create found an object of the same name."""
        return self.reason == "AlreadyExists"

    @property
    def is_conflict(self) -> bool:
        """Somebody else owns a field, or wrote in between."""
        return self.reason == "Conflict"

    @property
    def is_forbidden(self) -> bool:
        """403."""
        return self.code == _FORBIDDEN

    @property
    def is_missing_namespace(self) -> bool:
        """The object's namespace does not exist, as opposed to the object or its kind."""
        return self.is_not_found and self.message.startswith("namespaces ")

    @property
    def refuses_dry_run(self) -> bool:
        """An admission webhook with side effects cannot take part in a dry run."""
        return "does not support dry run" in self.message


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
