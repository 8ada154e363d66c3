"""A signed HTTP request as operation and parameters, and a result as the response of its protocol."""

from __future__ import annotations

import io
import uuid
from dataclasses import dataclass, field
from typing import Any

from moto.core.parse import PROTOCOL_PARSERS
from moto.core.request import Request, determine_request_protocol
from moto.core.routing import get_service_router
from moto.core.serialize import SerializationContext, get_serializer_class

# Names in a signature that differ from botocore's names of the services.
_SERVICES = {"elasticfilesystem": "efs", "servicequotas": "service-quotas"}


@dataclass(frozen=True)
class Call:
    """One request to an operation of a service in a region."""

    service: str
    region: str
    operation: Any
    protocol: str
    parameters: dict[str, Any]
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def name(self) -> str:
        """The operation's name, such as CreateVpc."""
        return self.operation.name


def decode(environ: dict[str, Any], body: bytes) -> Call:
    """The call. Raises whatever moto's lookup meets where it is none to an operation of a known service."""
    service, region = _signing_scope(environ["HTTP_AUTHORIZATION"])
    request = Request({**environ, "wsgi.input": io.BytesIO(body)})
    operation, labels = get_service_router(service).match(request)
    protocol = determine_request_protocol(operation.service_model, request.content_type)
    parameters = PROTOCOL_PARSERS[protocol](operation).parse(
        {
            "method": request.method,
            "values": request.values,
            "headers": request.headers,
            "body": request.data if protocol not in {"ec2", "query"} else body,
            "url_path": request.path,
            "url_params": labels,
        }
    )
    return Call(service, region, operation, protocol, parameters)


def encode(call: Call, result: object) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a result or, for an exception, of an error."""
    serializer = get_serializer_class(call.service, call.protocol)(
        call.operation, SerializationContext(call.request_id)
    )
    response = serializer.serialize(result)
    headers = {**response["headers"], "x-amzn-RequestId": call.request_id}
    content = response["body"]
    return response["status_code"], headers, content.encode() if isinstance(content, str) else content


def _signing_scope(authorization: str) -> tuple[str, str]:
    """Service and region that a request is signed for (AWS4-HMAC-SHA256 Credential=key/date/region/...)."""
    _, _, credential = authorization.partition("Credential=")
    _, _, region, service, _ = credential.split(",", 1)[0].split("/")
    return _SERVICES.get(service, service), region
