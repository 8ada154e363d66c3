"""AWS's error answers as the vendor's provider prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.provider_service.errors import ProviderError

if TYPE_CHECKING:
    from botocore.exceptions import ClientError


class UnmappedInputError(ProviderError):
    """An input, or a key inside one, that the catalogue does not map to a request."""


class AwsError(ProviderError):
    """A refused request: service, operation, HTTP status, request id, AWS's code and message."""

    def __init__(self, service: str, refused: ClientError, modelled: frozenset[str]) -> None:
        metadata, error = refused.response.get("ResponseMetadata", {}), refused.response.get("Error", {})
        self.code: str = error.get("Code", "")
        # aws-sdk-go-v2 has types of its own for errors that the operation's model names, as for all of EKS,
        # and one for all others, as for all of EC2.
        kind = "" if self.code in modelled else "api error "
        super().__init__(
            f"operation error {service}: {refused.operation_name}, https response error StatusCode: "
            f"{metadata.get('HTTPStatusCode', 0)}, RequestID: {metadata.get('RequestId', '')}, "
            f"{kind}{self.code}: {error.get('Message', '')}"
        )
