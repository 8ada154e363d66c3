"""The cloud's front: decodes a request, checks it, answers it or lets moto answer it, and writes it down."""

from __future__ import annotations

import functools
import io
import re
from typing import TYPE_CHECKING, Any

from moto.backends import get_backend
from moto.core.exceptions import ServiceException
from moto.moto_server.werkzeug_app import create_backend_app

from lab.aws_provider.cloud import fixtures, gaps, rules, service_model  # noqa: F401 - gaps and rules register
from lab.aws_provider.cloud.decode import Call, decode, encode
from lab.aws_provider.cloud.place import Place
from lab.aws_provider.cloud.registry import HANDLERS, RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lab.aws_provider.cloud.records import Records
    from lab.aws_provider.cloud.settings import Settings
    from lab.aws_provider.cloud.store import Store

_MOTO_REQUEST_ID = re.compile(rb"<(RequestI[dD])>[^<]*</RequestI[dD]>")
_MOTO_ERROR = re.compile(rb'<Code>([^<]+)</Code>|"__type":\s*"([^"]+)"')
_FIRST_ERROR_STATUS = 400
_SERVICES = ("autoscaling", "ec2", "efs", "eks", "fsx", "iam", "kms", "logs", "sts")
# Every answer has one of each already.
_OWN_HEADERS = frozenset({"x-amzn-requestid", "content-length", "date"})

# What moto answers with is of the whole process, and takes longer to make than to ask.
_application = functools.cache(create_backend_app)


class Application:
    """A WSGI application that speaks the protocols of AWS's services."""

    def __init__(self, store: Store, records: Records, settings: Settings) -> None:
        # Imported now: requests of several threads that import them together meet half made modules, a 500.
        for service in _SERVICES:
            get_backend(service)
        fixtures.add_to_moto()
        self._store, self._records, self._settings = store, records, settings

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answers one request."""
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        call = decode(environ, body)
        place = Place(call.region, self._store, self._settings)
        try:
            service_model.check(call.operation, call.parameters)
            # Whoever met half of a deletion would write what is being deleted once more.
            with self._store.lock:
                for rule in RULES[call.service, call.name]:
                    rule(place, call.parameters)
                handler = HANDLERS.get((call.service, call.name))
                if handler is None:
                    return self._recorded_moto(call, environ, body, start_response)
                result: object = handler(place, call.parameters)
        except ServiceException as error:
            result = error
        code = result.code if isinstance(result, ServiceException) else None
        self._records.add(call, code)
        status, headers, content = encode(call, result)
        return _respond(start_response, status, headers, content)

    def _recorded_moto(
        self, call: Call, environ: dict[str, Any], body: bytes, start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        status = ""
        kept: list[tuple[str, str]] = []

        def keep(line: str, headers: list[tuple[str, str]], *_: object) -> Any:
            nonlocal status
            status = line
            kept[:] = headers

        asked = {**environ, "wsgi.input": io.BytesIO(body)}
        content = b"".join(_application(call.service)(asked, keep))
        # moto writes the same id into every answer of some services.
        content = _MOTO_REQUEST_ID.sub(rb"<\1>" + call.request_id.encode() + rb"</\1>", content)
        failed = int(status.split(maxsplit=1)[0]) >= _FIRST_ERROR_STATUS
        found = _MOTO_ERROR.search(content) if failed else None
        error = (found.group(1) or found.group(2)).decode() if found else status if failed else None
        self._records.add(call, error)
        headers = [pair for pair in kept if pair[0].lower() not in _OWN_HEADERS]
        headers += [("x-amzn-RequestId", call.request_id), ("Content-Length", str(len(content)))]
        start_response(status, headers)
        return [content]


def _respond(
    start_response: Callable[..., Any], status: int, headers: dict[str, Any], content: bytes
) -> list[bytes]:
    pairs = [(name, str(value)) for name, value in headers.items()]
    pairs.append(("Content-Length", str(len(content))))
    start_response(f"{status} {'OK' if status < _FIRST_ERROR_STATUS else 'Refused'}", pairs)
    return [content]
