"""The cloud on a port of the loopback interface."""

from __future__ import annotations

import datetime as dt
import functools
import os
import threading
from email.utils import format_datetime
from typing import TYPE_CHECKING

from werkzeug.serving import WSGIRequestHandler, make_server

from lab.aws_provider.cloud.records import Records
from lab.aws_provider.cloud.settings import Settings
from lab.aws_provider.cloud.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STORE_FILE = "store.json"
REQUESTS_FILE = "requests.jsonl"
ENDPOINT_FILE = "endpoint"
_TICK_SECONDS = 0.5


class _Handler(WSGIRequestHandler):
    settings: Settings
    # One packet for header and body: delayed acknowledgements would cost 40 ms a request.
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing: the requests have a file of their own."""

    def date_time_string(self, timestamp: float | None = None) -> str:  # noqa: ARG002 - of http.server
        """The account's time, which clients read in every answer."""
        return format_datetime(self.settings.now().replace(tzinfo=dt.UTC), usegmt=True)


class CloudServer:
    """A cloud with an empty account; its files are in a folder of the lab."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        given = settings or Settings()
        # Policies of AWS's own exist in no account until moto is told to load them.
        os.environ["MOTO_IAM_LOAD_MANAGED_POLICIES"] = "true"
        os.environ["MOTO_ACCOUNT_ID"] = given.account
        from lab.aws_provider.cloud.application import Application  # noqa: PLC0415 - moto reads its settings at import

        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        (folder / REQUESTS_FILE).write_text("", encoding="utf-8")
        from lab.aws_provider.cloud.gaps.scaling import pass_time  # noqa: PLC0415 - the same

        store = Store(folder / STORE_FILE)
        self._pass_time = functools.partial(pass_time, store, given)
        self._ended = threading.Event()
        application = Application(store, Records(folder / REQUESTS_FILE), given)
        handler = type("Handler", (_Handler,), {"settings": given})
        self._server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=handler)

    @property
    def endpoint(self) -> str:
        """The URL for every service."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def serve(self, announced: Callable[[], None] = lambda: None) -> None:
        """Announces the endpoint in a file and serves until the process ends."""
        partial = self._folder / f"{ENDPOINT_FILE}.partial"
        partial.write_text(self.endpoint, encoding="utf-8")
        partial.replace(self._folder / ENDPOINT_FILE)
        announced()
        threading.Thread(target=self._tick, daemon=True).start()
        self._server.serve_forever()

    def start(self) -> None:
        """Serves from a thread of this process."""
        threading.Thread(target=self.serve, daemon=True).start()

    def stop(self) -> None:
        """Ends a server that was started from a thread."""
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    def _tick(self) -> None:
        while not self._ended.wait(_TICK_SECONDS):
            self._pass_time()
