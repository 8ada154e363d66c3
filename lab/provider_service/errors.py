"""What a provider may answer instead of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.provider_service.values import Properties


class ProviderError(Exception):
    """An operation failed and nothing about the resource needs to be recorded."""


class NotServedError(Exception):
    """A call of the protocol that the stand-in leaves to the vendor's plugin."""


class Gone(Exception):  # noqa: N818 - an outcome of Read, not a failure
    """What should be read does not exist any more."""


class InitializationError(Exception):
    """A partial failure: the engine records the resource with these properties and its errors.

    Becomes gRPC's ErrorResourceInitFailed; `inputs` are given by Read alone.
    """

    def __init__(
        self,
        resource_id: str,
        message: str,
        details: list[str],
        properties: Properties,
        inputs: Properties | None = None,
    ) -> None:
        super().__init__(message)
        self.resource_id = resource_id
        self.reasons = [message, *details]
        self.properties = properties
        self.inputs = inputs
