"""A steady number of streamed chat requests through a Service, by a client that never asks again."""

import asyncio
import json
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import aiohttp

from lab.answer import QUESTION

LIMIT_SECONDS = 30.0
"""A request without an end for so long is lost."""
_PAUSE_SECONDS = 0.25
_END_SECONDS = LIMIT_SECONDS + 5


@dataclass(frozen=True)
class Request:
    """One request as its client saw it; times are those of `time.monotonic`."""

    started: float
    first_token: float | None
    """None where none came."""
    ended: float
    longest_pause: float
    """The longest wait in seconds, for the first token or between two parts of the answer."""
    error: str
    """Why it is lost; empty where the whole answer came."""

    @property
    def is_lost(self) -> bool:
        """Whether its client got an error, a part of the answer, or no end."""
        return bool(self.error)


class Load:
    """Requests that run for as long as the block does; at its end those that are under way are awaited."""

    def __init__(self, url: str, model: str, *, streams: int, tokens: int, keeps: bool = True) -> None:
        """Prepare it.

        Args:
            url: of the frontend's Service.
            model: the name under which it is served.
            streams: how many requests are under way at a time.
            tokens: of each answer.
            keeps: one connection for all requests of a stream, as clients in the cluster have it; False: one
                for each request, which the Service may lead elsewhere.

        """
        self._url = f"{url}/v1/chat/completions"
        self._body = {
            "model": model,
            "messages": [{"role": "user", "content": QUESTION}],
            "max_tokens": tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        self._streams = streams
        self._keeps = keeps
        self._tokens = tokens
        self._ending = threading.Event()
        self._requests: list[Request] = []
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        self._thread.join(_END_SECONDS)

    @property
    def requests(self) -> list[Request]:
        """Those that have ended, in the order of their ends."""
        return list(self._requests)

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(self._streams):
                group.create_task(self._stream(number))

    async def _stream(self, number: int) -> None:
        limit = aiohttp.ClientTimeout(total=LIMIT_SECONDS)
        connector = aiohttp.TCPConnector(force_close=not self._keeps)
        async with aiohttp.ClientSession(timeout=limit, connector=connector) as session:
            # Not all at once: a fault shall find requests at every stage.
            await asyncio.sleep(number * _PAUSE_SECONDS)
            while not self._ending.is_set():
                request = await self._ask(session)
                self._requests.append(request)
                # Over a connection that its server is closing a request is lost, and no server can help it.
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _ask(self, session: aiohttp.ClientSession) -> Request:
        answer = _Answer(time.monotonic())
        error = ""
        try:
            async with session.post(self._url, json=self._body) as response:
                if response.status != 200:
                    error = f"HTTP {response.status}: {(await response.text())[:200]}"
                else:
                    async for line in response.content:
                        answer.read(line.decode())
                    error = answer.what_is_missing(self._tokens)
        except TimeoutError:
            error = f"no end within {LIMIT_SECONDS:.0f} s"
        except (aiohttp.ClientError, OSError, ValueError) as caught:
            error = f"{type(caught).__name__}: {caught}"
        return answer.request(error)


class _Answer:
    """What has come of one answer."""

    def __init__(self, started: float) -> None:
        self._started = self._last = started
        self._first_token: float | None = None
        self._longest_pause = 0.0
        self._tokens = 0
        self._error = ""
        self._is_done = False

    def read(self, line: str) -> None:
        """Take one line of the stream of events. Raises ValueError where it is no JSON."""
        kind, _, value = line.strip().partition(":")
        if kind == "event" and value.strip() == "error":
            self._error = "an error among the events"
        if kind == "" and "error" in value.lower():
            self._error = f"an error among the events: {value.strip()[:200]}"
        if kind != "data":
            return
        now = time.monotonic()
        self._longest_pause = max(self._longest_pause, now - self._last)
        self._last = now
        if value.strip() == "[DONE]":
            self._is_done = True
            return
        self._event(json.loads(value), now)

    def what_is_missing(self, tokens: int) -> str:
        """Why this is no whole answer of so many tokens; empty where it is one."""
        if self._error:
            return self._error
        if not self._is_done:
            return f"the stream broke off after {self._tokens or 'some or no'} tokens"
        return "" if self._tokens == tokens else f"{self._tokens} of {tokens} tokens"

    def request(self, error: str) -> Request:
        """The request, which ends now."""
        now = time.monotonic()
        pause = max(self._longest_pause, now - self._last)
        return Request(self._started, self._first_token, now, pause, error)

    def _event(self, event: dict[str, Any], now: float) -> None:
        if "error" in event:
            self._error = f"an error among the events: {str(event['error'])[:200]}"
        if self._first_token is None and event.get("choices"):
            self._first_token = now
        usage = event.get("usage")
        if usage:
            self._tokens = usage["completion_tokens"]
