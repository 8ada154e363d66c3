"""A cluster that answers as it is told: in the process, or over HTTP as an API server does."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from components.cluster_answer import Answer, Kind, Said
from components.cluster_reader import ClusterReader

REFUSED = Answer(Said.FORBIDDEN, why='User "someone" cannot list this')
SILENT = Answer(Said.UNREACHABLE, why="the API server does not answer: connection refused")
UNCONVERTED = Answer(
    Said.UNREACHABLE,
    why="the API server answers conversion webhook for nvidia.com/v1alpha1 failed: no endpoints available",
)
NO_KIND = Answer(Said.ABSENT)


class Told(ClusterReader):
    """Answers with these objects by the plural of their kind, and with none of all others."""

    unconverted: str
    answers: Mapping[str, Answer | Sequence[dict[str, Any]]]
    asked: list[tuple[str, str, str | None, dict[str, str]]]

    def __init__(
        self, answers: Mapping[str, Answer | Sequence[dict[str, Any]]], unconverted: str = ""
    ) -> None:
        """`unconverted`: the version of Dynamo's objects that nobody converts to."""
        super().__init__("gpu-cluster")
        object.__setattr__(self, "unconverted", unconverted)
        object.__setattr__(self, "answers", answers)
        object.__setattr__(self, "asked", [])

    def within(self, _seconds: int) -> Self:
        return self

    def ask(self, kind: Kind, name: str = "", namespace: str | None = None, **selectors: str) -> Answer:
        self.asked.append((kind.plural, name, namespace, selectors))
        if kind.version and kind.version == self.unconverted:
            return UNCONVERTED
        answer = self.answers.get(kind.plural, ())
        if isinstance(answer, Answer):
            return answer
        return Answer.of([each for each in answer if name in {"", each["metadata"].get("name")}])


@contextmanager
def api_server(answers: Mapping[str, tuple[int, object]], folder: Path) -> Iterator[ClusterReader]:
    """A reader of a server on loopback with these answers by path; of any other path it has no page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answers.get(urlsplit(self.path).path, (404, "404 page not found"))
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield ClusterReader("there", kubeconfig_of(folder, server.server_port))
    finally:
        server.shutdown()
        server.server_close()


def kubeconfig_of(folder: Path, port: int) -> str:
    """A kubeconfig file whose context `there` leads to this port."""
    cluster = {"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}
    user = {"name": "u", "user": {"token": "planted"}}
    context = {"name": "there", "context": {"cluster": "c", "user": "u"}}
    file = folder / f"kubeconfig-{port}"
    file.write_text(json.dumps({"clusters": [cluster], "users": [user], "contexts": [context]}))
    return str(file)
