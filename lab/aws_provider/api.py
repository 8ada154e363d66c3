"""Requests to AWS's services, all to one endpoint on the loopback interface."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import botocore.session
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from lab.aws_provider.errors import AwsError
from lab.provider_service.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Mapping


_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_TITLES = {
    "autoscaling": "Auto Scaling",
    "ec2": "EC2",
    "efs": "EFS",
    "eks": "EKS",
    "fsx": "FSx",
    "iam": "IAM",
    "kms": "KMS",
    "logs": "CloudWatch Logs",
    "sts": "STS",
}
# Others wait for no answer of a service on this machine.
_CONFIG = Config(
    connect_timeout=5,
    read_timeout=60,
    retries={"total_max_attempts": 1},
    max_pool_connections=64,
    proxies={},
    ignore_configured_endpoint_urls=True,
)
_session = botocore.session.Session(include_builtin_handlers=True)


def loopback_endpoint(given: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """The endpoint to use. Raises ProviderError where this stand-in would leave the machine."""
    endpoint = given or environment.get("AWS_ENDPOINT_URL", "")
    if urlsplit(endpoint).hostname not in _LOOPBACK:
        raise ProviderError(
            "this stand-in works against a simulated cloud only, and AWS_ENDPOINT_URL does not name one on "
            f"the loopback interface: {endpoint!r}"
        )
    return endpoint


def operation_model(service: str, operation: str) -> Any:
    """botocore's model of an operation."""
    return _session.get_service_model(service).operation_model(operation)


class Api:
    """The clients of one region; safe for many threads."""

    def __init__(self, endpoint: str, region: str) -> None:
        self._endpoint, self.region = endpoint, region
        self._clients: dict[str, Any] = {}
        self._lock = threading.Lock()

    def call(self, service: str, operation: str, parameters: Mapping[str, Any] | None = None) -> Any:
        """The answer as a dict. Raises AwsError, or ProviderError where the request has a wrong shape."""
        client = self._client(service)
        model = operation_model(service, operation)
        method = getattr(client, xform_name(model.name))
        try:
            answer = method(**(parameters or {}))
        except ClientError as error:
            raise AwsError(_TITLES.get(service, service), error, _modelled(model)) from error
        except BotoCoreError as error:
            raise ProviderError(f"operation error {service}: {operation}, {error}") from error
        answer.pop("ResponseMetadata", None)
        return answer

    def _client(self, service: str) -> Any:
        with self._lock:
            if service not in self._clients:
                self._clients[service] = _session.create_client(
                    service,
                    region_name=self.region,
                    endpoint_url=self._endpoint,
                    # Never the person's own: nothing here leaves the machine, nothing must look for them.
                    aws_access_key_id="lab",
                    aws_secret_access_key="lab",  # noqa: S106 - a placeholder
                    config=_CONFIG,
                )
            return self._clients[service]


def _modelled(model: Any) -> frozenset[str]:
    return frozenset(
        (shape.metadata.get("error") or {}).get("code") or shape.name for shape in model.error_shapes
    )
