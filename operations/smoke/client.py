"""HTTP requests to a frontend, each of which ends in bounded time."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import requests
import urllib3

from operations.document import Verdict
from operations.errors import CommandError, NotAllowed
from operations.smoke.results import Judgement, WrongAnswer, wrong

_READ_BYTES = 65_536
_EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    status: int
    text: str
    """Empty where the answer is a stream of events."""
    events: tuple[tuple[float, str], ...] = ()
    """The data of server-sent events, each with its seconds since the request was sent."""


@dataclass(frozen=True, slots=True)
class Frontend:
    """The frontend at an address that may change between two requests; the first one connects."""

    address: Callable[[], str]
    """The URL before /v1; it may raise CommandError, which is an answer like others."""
    _: KW_ONLY
    seconds: float
    """How long each answer may take, to its end."""
    key: str | None = field(default=None, repr=False)
    """Sent as a bearer token."""
    by_proxy: bool = True
    """Whether the proxies of the environment are for this address too."""

    def ask(self, path: str, body: Mapping[str, Any] | None = None, *, seconds: float = math.inf) -> Answer:
        """Return the answer to POST, or to GET where there is no body; raises WrongAnswer.

        Args:
            path: what is asked.
            body: where it wants a stream, the answer has the events that come, each with its time.
            seconds: fewer than other answers may take.

        """
        seconds = min(seconds, self.seconds)
        headers = {"Connection": "close", "Accept-Encoding": "identity"}
        headers |= {"Authorization": f"Bearer {self.key}"} if self.key is not None else {}
        try:
            address = self.address()
        except CommandError as error:
            verdict = Verdict.UNKNOWN if isinstance(error, NotAllowed) else Verdict.WRONG
            raise WrongAnswer(Judgement(verdict, str(error))) from error
        start = time.monotonic()
        try:
            # One for each request: a load balancer or a port-forward may have closed what was kept.
            with requests.Session() as session:
                session.trust_env = self.by_proxy
                response = session.request(
                    "GET" if body is None else "POST",
                    f"{address}{path}",
                    json=body,
                    headers=headers,
                    # Otherwise a ~/.netrc could add or replace credentials.
                    auth=lambda request: request,
                    timeout=seconds,
                    stream=True,
                    # A redirected POST becomes a GET, and a key would go where nobody sent it.
                    allow_redirects=False,
                )
                # The session closes no connection whose answer is not read to its end.
                with response:
                    pieces = _pieces(response, start, seconds)
                    if (body or {}).get("stream") and _EVENTS in response.headers.get("Content-Type", ""):
                        return Answer(response.status_code, "", tuple(_events(pieces, start)))
                    return Answer(response.status_code, b"".join(pieces).decode("utf-8", errors="replace"))
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise WrongAnswer(wrong(_reason(error, seconds))) from error


def _events(pieces: Iterator[bytes], start: float) -> Iterator[tuple[float, str]]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        seconds = time.monotonic() - start
        for line in lines:
            if line.startswith(b"data:"):
                yield seconds, line[5:].decode("utf-8", errors="replace").strip()


def _pieces(response: requests.Response, start: float, seconds: float) -> Iterator[bytes]:
    # One read of the socket at a time: reading all would wait for every byte of a server that drips.
    while piece := response.raw.read1(_READ_BYTES):
        if time.monotonic() - start > seconds:
            raise WrongAnswer(wrong(f"the answer had not ended after {seconds:g} s"))
        yield piece


def _reason(error: BaseException, seconds: float) -> str:
    # The error and what it was made of, the first cause last.
    chain = [error]
    while chain[-1].__context__ is not None:
        chain.append(chain[-1].__context__)
    # Not every TimeoutError of urllib3: a connection that was refused is one of them too.
    if any(isinstance(each, requests.Timeout | urllib3.exceptions.ReadTimeoutError) for each in chain):
        return f"no answer within {seconds:g} s"
    said = [each.strerror for each in chain if isinstance(each, OSError) and each.strerror]
    if said:
        return f"no answer: {said[-1]}"
    if any(isinstance(each, urllib3.exceptions.ProtocolError) for each in chain):
        return "the connection was closed before the answer was whole"
    return f"no answer: {chain[-1]}"
