"""The operator's admission and conversion webhooks: a TLS server on the cluster IP of their Service."""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from lab.dynamo_operator.admission import mutate, pass_unseen, validate
from lab.dynamo_operator.conversion import convert

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lab.controller.api import Manifest
    from lab.dynamo_operator.certificates import ServingCertificate

VALIDATE_PATH = "/validate-nvidia-com-v1alpha1-dynamographdeployment"
MUTATE_PATH = "/mutate-nvidia-com-v1alpha1-dynamographdeployment"
VALIDATE_COMPONENT_PATH = "/validate-nvidia-com-v1alpha1-dynamocomponentdeployment"
CONVERT_PATH = "/convert"
_LARGEST_REVIEW = 8 * 1024 * 1024


class WebhookServer:
    """Answers reviews between `start` and `stop`."""

    def __init__(self, operator_version: str, certificate: ServingCertificate) -> None:
        self._version = operator_version
        self._context = _tls_context(certificate)
        self._runner: web.AppRunner | None = None

    @property
    def is_listening(self) -> bool:
        """Whether the API server can reach it."""
        return self._runner is not None

    async def start(self, address: str, port: int) -> None:
        """Listens; raises OSError where the address is taken."""
        application = web.Application(client_max_size=_LARGEST_REVIEW)
        for path, answer in (
            (VALIDATE_PATH, validate),
            (MUTATE_PATH, lambda review: mutate(review, self._version)),
            (VALIDATE_COMPONENT_PATH, pass_unseen),
            (CONVERT_PATH, convert),
        ):
            application.router.add_post(path, self._handler(answer))
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        try:
            await web.TCPSite(runner, address, port, ssl_context=self._context).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner

    async def stop(self) -> None:
        """Stops listening: from now on the API server's connection is refused."""
        if self._runner is not None:
            await self._runner.cleanup()
        self._runner = None

    def _handler(
        self, answer: Callable[[Manifest], Manifest]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            if self._runner is None and request.transport is not None:
                # A connection whose TLS handshake was on its way when the server stopped outlives it.
                request.transport.abort()
            return web.json_response(answer(await request.json()))

        return handle


def _tls_context(certificate: ServingCertificate) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    # Python's ssl reads a key from files only.
    with tempfile.TemporaryDirectory() as folder:
        chain, key = Path(folder) / "tls.crt", Path(folder) / "tls.key"
        chain.write_bytes(certificate.certificate)
        key.touch(mode=0o600)
        key.write_bytes(certificate.key)
        context.load_cert_chain(chain, key)
    return context
