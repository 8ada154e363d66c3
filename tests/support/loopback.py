"""An application of Flask's on the loopback interface."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server


@contextmanager
def served(application: Flask) -> Iterator[str]:
    """Serve until the block ends; the value is the address."""
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=_Silent)
    # Its default is half a second, which every test would wait for at its end.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Silent(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002
        """Nothing: a test says what it has seen."""
