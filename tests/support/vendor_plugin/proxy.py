"""An HTTPS proxy on loopback that is each chart repository itself, and leads nowhere else."""

from __future__ import annotations

import socketserver
import ssl
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, cast

from lab.dynamo_operator.certificates import make_certificate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.vendor_plugin.charts import Answer


class Proxy(socketserver.ThreadingTCPServer):
    """Clients name it as HTTPS_PROXY and trust the authority that it writes."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, hosts: Mapping[str, Mapping[str, Answer]], folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.hosts = hosts
        self.authority = folder / "chart-repositories.crt"
        made = make_certificate(*hosts)
        key = folder / "chart-repositories.key"
        key.write_bytes(made.key)
        # It signs itself.
        self.authority.write_bytes(made.certificate)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.authority, key)

    @property
    def address(self) -> str:
        """As HTTPS_PROXY names it."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Connection(BaseHTTPRequestHandler):
    """CONNECT, then TLS as the named host, then GET and HEAD."""

    protocol_version = "HTTP/1.1"
    _host = ""

    def do_CONNECT(self) -> None:
        self._host = self.path.rpartition(":")[0]
        proxy = cast("Proxy", self.server)
        if self._host not in proxy.hosts:
            self.send_error(HTTPStatus.BAD_GATEWAY, f"the lab has no network, and no charts of {self._host}")
            return
        self.send_response_only(HTTPStatus.OK)
        self.end_headers()
        # Some clients ask for the tunnel in HTTP/1.0, which would end with its first answer.
        self.close_connection = False
        self.connection = proxy.context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb")

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Nothing: the plugin's own output is the engine's to show."""

    def _answer(self, *, with_body: bool) -> None:
        found = cast("Proxy", self.server).hosts.get(self._host, {}).get(self.path.partition("?")[0])
        if found is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", found.media_type)
        self.send_header("Content-Length", str(len(found.body)))
        self.send_header("Docker-Content-Digest", found.digest)
        self.end_headers()
        if with_body:
            self.wfile.write(found.body)
