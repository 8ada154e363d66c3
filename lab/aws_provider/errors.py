"""AWS's error answers as the vendor's provider prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.provider_service.errors import ProviderError

if TYPE_CHECKING:
    from botocore.exceptions import ClientError


class UnmappedInputError(ProviderError):
    """An input, or a key inside one, that the catalogue does not map to a request."""


class AwsError(ProviderError):
    """A refused request: service, operation, HTTP status, request id, AWS's code and message."""

    def __init__(
        self, service: str, operation: str, answer: dict[str, Any], modelled: frozenset[str]
    ) -> None:
        metadata, error = answer.get("ResponseMetadata", {}), answer.get("Error", {})
        self.code: str = error.get("Code", "")
        self.request_id: str = metadata.get("RequestId", "")
        # aws-sdk-go-v2 has types of its own for errors that the operation's model names, as for all of EKS,
        # and one for all others, as for all of EC2.
        kind = "" if self.code in modelled else "api error "
        super().__init__(
            f"operation error {service}: {operation}, https response error StatusCode: "
            f"{metadata.get('HTTPStatusCode', 0)}, RequestID: {self.request_id}, {kind}{self.code}: "
            f"{error.get('Message', '')}"
        )

    @classmethod
    def of(cls, service: str, error: ClientError, modelled: frozenset[str] = frozenset()) -> AwsError:
        """From botocore's exception, and the codes that the model of the operation names."""
        return cls(service, error.operation_name, error.response, modelled)
